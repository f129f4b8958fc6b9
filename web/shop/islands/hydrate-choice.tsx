import { hydrate } from 'preact';
import { TicketChoiceForm, type TicketChoiceProps } from './ticket-choice.tsx';

/** Makes the tickets of the page live, if it has any. Its data is embedded by `LiveTickets` in sale.tsx. */
export function hydrateChoice(): void {
  const data = document.getElementById('ticket-choice-data');
  const place = document.getElementById('ticket-choice');
  if (data && place) hydrate(<TicketChoiceForm {...(JSON.parse(data.textContent ?? '') as TicketChoiceProps)} />, place);
}
