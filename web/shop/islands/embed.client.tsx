import { hydrate } from 'preact';
import { TicketChoiceForm, type TicketChoiceProps } from './ticket-choice.tsx';

/** The script of the widget. */
const data = document.getElementById('ticket-choice-data');
const place = document.getElementById('ticket-choice');
if (data && place) hydrate(<TicketChoiceForm {...(JSON.parse(data.textContent ?? '') as TicketChoiceProps)} />, place);

/** The height of the widget is no secret, and the page around it is not known. So every page may receive the message. */
const tellHeight = () => parent.postMessage({ type: 'tessera:height', height: document.body.offsetHeight }, '*');
new ResizeObserver(tellHeight).observe(document.body);

/** The order opens in a new tab, so this page stays. A moment later its form must be usable again. */
addEventListener('submit', (event) => {
  if (!event.defaultPrevented) setTimeout(() => dispatchEvent(new Event('pageshow')), 2_000);
});
