import { hydrate } from 'preact';
import { startShare } from './share.ts';
import { TicketChoiceForm, type TicketChoiceProps } from './ticket-choice.tsx';

/** The script of the event page. */
const data = document.getElementById('ticket-choice-data');
const place = document.getElementById('ticket-choice');
if (data && place) hydrate(<TicketChoiceForm {...(JSON.parse(data.textContent ?? '') as TicketChoiceProps)} />, place);
startShare();
