import type { OrderData } from '../../pages/order/order-data.ts';
import { startComponent } from './component.ts';
import { startCopy } from './copy.ts';
import { startCountdown } from './countdown.ts';
import { keepDraft } from './draft.ts';
import { startForms } from './forms.ts';
import { startPolling } from './poll.ts';

/** The script of the order page. Everything on the page also works without it, except the card form of a payment provider. */
const data = JSON.parse(document.getElementById('order-data')?.textContent ?? 'null') as OrderData | null;
if (data) {
  // The notice of the last action should not come back when the page is loaded again.
  if (location.search !== '') history.replaceState(null, '', location.pathname);
  keepDraft(data.isHeld);
  startForms(data.messages.sending);
  startCopy(data.messages.copied);
  if (data.isHeld || data.isExpired) {
    const countdown = startCountdown(data);
    const poll = startPolling(data, countdown);
    countdown.onEnd(poll);
    startComponent(data, poll);
  }
  // Tests wait for this mark.
  document.documentElement.dataset.live = 'true';
}
