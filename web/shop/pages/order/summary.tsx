import type { OrderEvent } from '../../../../src/web/order-contract.ts';
import { fill, plural } from '../../../messages/fill.ts';
import { date, dayRange, money } from '../../../ui/format.ts';
import { Icon } from '../../../ui/icon.tsx';
import * as icons from '../../../ui/icons.ts';
import { Picture } from '../../poster.tsx';
import type { OrderProps } from './order.tsx';

export const amountOf = ({ frame, t, page }: OrderProps, cents: number): string =>
  cents === 0 ? t.checkout.free : money(cents, page.currency, frame.locale);

const ticketCount = ({ frame, t, page }: OrderProps): string =>
  plural(
    frame.locale,
    t.checkout.tickets,
    page.lines.reduce((sum, { quantity }) => sum + quantity, 0),
  );

/** The time of the session, or the days of an event with several. */
export function whenOf({ start, finish, hasSeveralTimes }: OrderEvent, locale: string): string {
  if (!start || !finish) return '';
  return hasSeveralTimes ? dayRange(start, finish, locale) : date(start, 'moment', locale);
}

/** The event of the order: picture, title, date and place. */
export const EventLine = ({ frame, page: { event } }: OrderProps) => (
  <div class="event-line">
    <div class="event-line-poster">
      <Picture image={event.poster.wide} sizes="96px" first />
    </div>
    <div>
      <p class="event-line-title">{event.title}</p>
      <p class="soft small">{whenOf(event, frame.locale)}</p>
      {event.venue && <p class="soft small">{[event.venue, event.city].filter(Boolean).join(' · ')}</p>}
    </div>
  </div>
);

/** The tickets and the total. The total is the largest amount, and the fees in it stand below it. */
export function Lines(props: OrderProps) {
  const { frame, t, page } = props;
  return (
    <>
      <ul class="lines">
        {page.lines.map(({ name, quantity, finalPrice, refunded }) => (
          <li class="line">
            <span class="line-quantity">{quantity}×</span>
            <span class="line-name">
              {name}
              {refunded > 0 && <span class="line-refunded"> {plural(frame.locale, t.order.refundedLine, refunded)}</span>}
            </span>
            <span class="line-price">{amountOf(props, quantity * finalPrice)}</span>
          </li>
        ))}
      </ul>
      <div class="lines-total">
        <span>{t.checkout.total}</span>
        <span class="lines-amount">
          <strong>{amountOf(props, page.total)}</strong>
          {page.fees > 0 && <span class="soft small">{fill(t.checkout.fees, { fee: amountOf(props, page.fees) })}</span>}
        </span>
      </div>
    </>
  );
}

/** The summary beside the steps on large screens. */
export const SummaryCard = (props: OrderProps) => (
  <aside class="summary-card" aria-labelledby="summary">
    <h2 id="summary">{props.t.checkout.summary}</h2>
    <EventLine {...props} />
    <Lines {...props} />
  </aside>
);

/** The summary on phones: one line that stays below the header and opens to the whole order. */
export const SummaryBar = (props: OrderProps) => (
  <details class="summary-bar">
    <summary>
      <span class="summary-bar-text">
        <span class="summary-bar-title">{props.page.event.title}</span>
        <span class="soft small">{ticketCount(props)}</span>
      </span>
      <span class="summary-bar-total">{amountOf(props, props.page.total)}</span>
      <Icon path={icons.chevron} />
    </summary>
    <div class="summary-bar-body">
      <EventLine {...props} />
      <Lines {...props} />
    </div>
  </details>
);
