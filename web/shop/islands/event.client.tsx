import { hydrate } from 'preact';
import { startShare } from './share.ts';
import { TicketChoiceForm, type TicketChoiceProps } from './ticket-choice.tsx';

/** The script of the event page. */
const data = document.getElementById('ticket-choice-data');
const place = document.getElementById('ticket-choice');
if (data && place) hydrate(<TicketChoiceForm {...(JSON.parse(data.textContent ?? '') as TicketChoiceProps)} />, place);
startShare();

/** On phones the sessions scroll sideways. The chosen one is brought into view. */
const session = document.querySelector<HTMLElement>('.session[aria-current]');
const sessions = session?.closest('ul');
if (session && sessions) sessions.scrollLeft = session.offsetLeft - sessions.clientWidth / 3;
