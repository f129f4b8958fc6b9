import { plural } from '../../../messages/fill.ts';
import { clockTime } from '../../../ui/format.ts';
import { type OrderData, orderPath } from '../../pages/order/order-data.ts';
import { createClock } from './clock.ts';

export interface Countdown {
  /** Takes what a response says: the time of the server, and until when the tickets are held. */
  update(date: string | null, expiresAt: string): void;
  onEnd(callback: () => void): void;
}

const offerSeconds = 45;
const lowSeconds = 60;
const lastMinutes = 20;

/** Keeps the times of the page running, tells screen readers once a minute, and offers more time shortly before the end. */
export function startCountdown(data: OrderData): Countdown {
  const clock = createClock(data.now);
  const header = document.querySelector<HTMLElement>('.countdown');
  const offer = document.querySelector<HTMLFormElement>('[data-offer]');
  let expiresAt = data.expiresAt;
  let announced = minutesOf(secondsUntil(expiresAt));
  let atEnd = () => {};

  function secondsUntil(instant: string): number {
    return Math.max(0, Math.ceil((Date.parse(instant) - clock.now()) / 1000));
  }

  function show(): void {
    for (const element of document.querySelectorAll<HTMLElement>('[data-until]')) {
      element.textContent = clockTime(secondsUntil(element.dataset.until ?? expiresAt));
    }
    const seconds = secondsUntil(expiresAt);
    const whole = (Date.parse(expiresAt) - Date.parse(data.createdAt)) / 1000;
    document.querySelector('[data-ring]')?.setAttribute('stroke-dashoffset', String(100 - (100 * seconds) / whole));
    header?.classList.toggle('low', seconds <= lowSeconds);
    announce(seconds);
    offer?.classList.toggle('due', seconds <= offerSeconds && seconds > 0);
    if (seconds === 0 && data.isHeld) atEnd();
  }

  function announce(seconds: number): void {
    const minutes = minutesOf(seconds);
    // An offer of the waiting list is held for hours. Only the last minutes are announced.
    if (minutes > lastMinutes) return;
    const place = document.querySelector('[data-announce]');
    if (minutes === announced || !place || seconds === 0) return;
    announced = minutes;
    place.textContent = minutes === 0 ? data.messages.secondsLeft : plural(data.locale, data.messages.minutesLeft, minutes);
  }

  function update(date: string | null, next: string): void {
    clock.sync(date);
    expiresAt = next;
    header?.querySelector('[data-until]')?.setAttribute('data-until', next);
    show();
  }

  offer?.addEventListener('submit', (event) => {
    event.preventDefault();
    void extend(data, offer, update);
  });
  setInterval(show, 1_000);
  show();
  return {
    update,
    onEnd: (callback) => {
      atEnd = callback;
    },
  };
}

const minutesOf = (seconds: number): number => Math.floor(seconds / 60);

/** Extends the hold without leaving the page, so that what the buyer has typed stays. If that fails, the form is sent as usual. */
async function extend(data: OrderData, offer: HTMLFormElement, update: Countdown['update']): Promise<void> {
  const response = await fetch(`/v1${orderPath(data)}/extend`, { method: 'POST' }).catch(() => null);
  if (!response?.ok) return offer.submit();
  const { expiresAt } = (await response.json()) as { expiresAt: string };
  offer.remove();
  update(response.headers.get('date'), expiresAt);
}
