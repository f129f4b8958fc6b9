import type { Order } from '../../../../src/orders/order-schemas.ts';
import { orderStateOf } from '../../../../src/web/order-contract.ts';
import { type OrderData, orderPath } from '../../pages/order/order-data.ts';
import type { Countdown } from './countdown.ts';

const payingMs = 2_000;
const holdingMs = 15_000;

/**
 * Asks for the order while the page is visible. If its state has changed, for example because it was paid in another tab, the page is loaded
 * again. Returns a function that asks at once.
 */
export function startPolling(data: OrderData, countdown: Countdown): () => void {
  const wait = data.isPaying || data.isExpired ? payingMs : holdingMs;
  let timer: ReturnType<typeof setTimeout>;
  let isAsking = false;

  async function ask(): Promise<void> {
    if (isAsking) return;
    isAsking = true;
    clearTimeout(timer);
    const response = await fetch(`/v1${orderPath(data)}`, { cache: 'no-store' }).catch(() => null);
    showOffline(response === null ? data.messages.offline : null);
    if (response?.ok) {
      const order = (await response.json()) as Order;
      if (orderStateOf(order) !== data.state) return location.replace(location.pathname);
      countdown.update(response.headers.get('date'), order.expiresAt);
    }
    isAsking = false;
    timer = setTimeout(askIfVisible, wait);
  }

  function askIfVisible(): void {
    if (document.visibilityState === 'visible') void ask();
    else timer = setTimeout(askIfVisible, wait);
  }

  addEventListener('visibilitychange', askIfVisible);
  addEventListener('online', askIfVisible);
  timer = setTimeout(askIfVisible, wait);
  return () => void ask();
}

/** Shows at the top of the page that the connection is lost. */
function showOffline(text: string | null): void {
  const place = document.querySelector<HTMLElement>('[data-offline]');
  if (!place) return;
  place.hidden = text === null;
  if (text !== null && place.textContent !== text) place.textContent = text;
}
