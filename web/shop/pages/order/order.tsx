import type { OrderPage } from '../../../../src/web/order-contract.ts';
import { fill } from '../../../messages/fill.ts';
import { clockTime, date } from '../../../ui/format.ts';
import type { PageProps } from '../../page.ts';
import { safeJson } from '../../safe-json.ts';
import { Checkout } from './checkout.tsx';
import { Ended } from './ended.tsx';
import type { OrderData } from './order-data.ts';
import { Paid, paidTitle } from './paid.tsx';

export type OrderProps = PageProps & { page: OrderPage };

const views = { buyer: Checkout, payment: Checkout, pending: Checkout, paid: Paid, expired: Ended, cancelled: Ended, refunded: Ended };

export const isHeld = ({ view }: OrderPage): boolean => views[view] === Checkout;

export function orderTitle({ frame, t }: PageProps, page: OrderPage): string {
  const { view } = page;
  const titles = {
    paid: paidTitle({ frame, t, page }),
    expired: t.order.expiredTitle,
    cancelled: t.order.cancelledTitle,
    refunded: t.order.refundedTitle,
  };
  return view in titles ? titles[view as keyof typeof titles] : t.checkout.title;
}

/** The page of an order: the checkout while the tickets are held, and the tickets afterwards. */
export function OrderView(props: OrderProps) {
  const View = views[props.page.view];
  return (
    <>
      <View {...props} />
      <script id="order-data" type="application/json" dangerouslySetInnerHTML={{ __html: safeJson(dataOf(props)) }} />
    </>
  );
}

function dataOf({ frame, t: { checkout }, page }: OrderProps): OrderData {
  const { id, view, state, hold } = page;
  return {
    id,
    eventId: page.event.id,
    state,
    isHeld: isHeld(page),
    isPaying: view === 'pending',
    isExpired: view === 'expired' && page.payment !== null,
    locale: frame.locale,
    now: hold.now,
    createdAt: hold.createdAt,
    expiresAt: hold.expiresAt,
    messages: {
      minutesLeft: checkout.minutesLeft,
      secondsLeft: checkout.secondsLeft,
      offline: checkout.offline,
      copied: checkout.copied,
      sending: checkout.sending,
      componentError: checkout.componentError,
    },
  };
}

/** The time that is left, in the header. The script of the page keeps it running. Without JavaScript it says until when the hold lasts. */
export const Countdown = ({ frame, t, page: { hold } }: OrderProps) => (
  <div class="countdown">
    <span class="countdown-ring needs-script" aria-hidden="true">
      <svg viewBox="0 0 36 36" width="36" height="36">
        <circle class="ring-track" cx="18" cy="18" r="15.5" />
        <circle class="ring-rest" cx="18" cy="18" r="15.5" pathLength="100" data-ring stroke-dasharray="100" stroke-dashoffset="0" />
      </svg>
      <span class="countdown-text">
        <span class="countdown-label">{t.checkout.timeLeft}</span>
        <span class="countdown-time" data-until={hold.expiresAt}>
          {clockOf(hold)}
        </span>
      </span>
    </span>
    <span class="visually-hidden" role="status" data-announce />
    <span class="without-script small">
      {fill(t.checkout.heldUntil, { time: date(hold.until, isLong(hold) ? 'shortMoment' : 'time', frame.locale) })}
    </span>
  </div>
);

/** Whether the tickets are held for hours, as an offer of the waiting list. Then the time alone may be of another day. */
const isLong = ({ now, expiresAt }: OrderPage['hold']): boolean => Date.parse(expiresAt) - Date.parse(now) > 3_600_000;

/** The rest of the hold, as the script shows it. */
function clockOf({ now, expiresAt }: OrderPage['hold']): string {
  const seconds = Math.max(0, Math.ceil((Date.parse(expiresAt) - Date.parse(now)) / 1000));
  return clockTime(seconds);
}
