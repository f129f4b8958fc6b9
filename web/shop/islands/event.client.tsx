import { hydrateChoice } from './hydrate-choice.tsx';
import { startShare } from './share.ts';

/** The script of the event page. */
hydrateChoice();
startShare();

/** On phones the sessions scroll sideways. The chosen one is brought into view. */
const session = document.querySelector<HTMLElement>('.session[aria-current]');
const sessions = session?.closest('ul');
if (session && sessions) sessions.scrollLeft = session.offsetLeft - sessions.clientWidth / 3;
