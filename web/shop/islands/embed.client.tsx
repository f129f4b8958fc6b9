import { hydrateChoice } from './hydrate-choice.tsx';

/** The script of the widget. */
hydrateChoice();

/** The height of the widget is no secret, and the page around it is not known. So every page may receive the message. */
const tellHeight = () => parent.postMessage({ type: 'tessera:height', height: document.body.offsetHeight }, '*');
new ResizeObserver(tellHeight).observe(document.body);

/** The order opens in a new tab, so this page stays. A moment later its form must be usable again. */
addEventListener('submit', (event) => {
  if (!event.defaultPrevented) setTimeout(() => dispatchEvent(new Event('pageshow')), 2_000);
});
