import { Icon } from '../../../ui/icon.tsx';
import * as icons from '../../../ui/icons.ts';
import { href } from '../../page.ts';
import { MoneyBack } from './money-back.tsx';
import type { OrderProps } from './order.tsx';
import { EventLine, Lines } from './summary.tsx';

/** An order without valid tickets: expired, cancelled or refunded. It says what happened and offers to buy again. */
export function Ended(props: OrderProps) {
  const { frame, t, page } = props;
  const { view, event } = page;
  const titles = { expired: t.order.expiredTitle, cancelled: t.order.cancelledTitle, refunded: t.order.refundedTitle };
  const texts = { expired: t.order.expiredText, cancelled: t.order.cancelledText, refunded: t.order.refundedText };
  const kind = view as keyof typeof titles;
  const canBuyAgain = kind === 'expired' && !event.isCancelled;
  return (
    <div class="wrap ended">
      <div class="ended-head">
        <span class="empty-tile">
          <Icon path={kind === 'expired' ? icons.clock : icons.undo} size={28} />
        </span>
        <h1>{page.notice === 'withdrawn' ? t.order.withdrawnTitle : titles[kind]}</h1>
        <p class="ended-text">{texts[kind]}</p>
        {kind === 'expired' && page.payment && <p class="soft">{t.order.expiredPending}</p>}
      </div>
      <MoneyBack {...props} />
      {canBuyAgain && <ReserveAgain {...props} />}
      <section class="ended-order" aria-label={t.order.details}>
        <EventLine {...props} />
        <Lines {...props} />
      </section>
      <p class="ended-links">
        <a class={canBuyAgain ? 'more-link' : 'button secondary'} href={href(frame, event.path)}>
          {t.order.seeEvent}
        </a>
      </p>
    </div>
  );
}

/** The same form as on the event page, with the same tickets. If they are gone, that page shows what is left. */
const ReserveAgain = ({ frame, t, page }: OrderProps) => (
  <form class="reserve-again" method="post" action={href(frame, `/event/${page.event.id}/orders`)} data-busy>
    <input type="hidden" name="eventId" value={page.event.id} />
    {page.sessionId !== null && <input type="hidden" name="sessionId" value={page.sessionId} />}
    {page.lines.map(({ itemId, quantity }) => (
      <input type="hidden" name={`item-${itemId}`} value={quantity} />
    ))}
    <button class="button wide" type="submit">
      {t.order.reserveAgain}
    </button>
  </form>
);
