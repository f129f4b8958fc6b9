import type { OrderNotice } from '../../../../src/web/order-contract.ts';
import { fill, plural } from '../../../messages/fill.ts';
import { date } from '../../../ui/format.ts';
import { Icon } from '../../../ui/icon.tsx';
import * as icons from '../../../ui/icons.ts';
import { Notice } from '../../../ui/notice.tsx';
import { href } from '../../page.ts';
import { Picture } from '../../poster.tsx';
import { TicketCards } from '../../tickets.tsx';
import { formAction } from './form-action.ts';
import { MoneyBack } from './money-back.tsx';
import type { OrderProps } from './order.tsx';
import { amountOf, Lines, whenOf } from './summary.tsx';

/** After the event, and if it was cancelled, nobody is going. */
export function paidTitle({ t, page: { event } }: OrderProps): string {
  if (event.isCancelled) return t.order.cancelledEventTitle;
  return event.isOver ? t.pass.title : t.order.paidTitle;
}

/** A paid order: the tickets first, then what the buyer can do with the order. */
export function Paid(props: OrderProps) {
  const { frame, t, page } = props;
  const { event, buyer } = page;
  return (
    <div class="wrap paid">
      <header class="paid-head">
        <div class="paid-poster">
          <Picture image={event.poster.wide} sizes="(min-width: 880px) 320px, 100vw" first />
        </div>
        <div class="paid-text">
          <p class="paid-mark">
            <Icon path={icons.check} size={22} /> {fill(t.order.number, { id: page.id })}
            {frame.testMoney && <span class="pill warn">{t.checkout.testMoney}</span>}
          </p>
          <h1>{paidTitle(props)}</h1>
          <p class="paid-event">
            <a href={href(frame, event.path)}>{event.title}</a>
          </p>
          <p class="soft paid-fact">{whenOf(event, frame.locale)}</p>
          {event.venue && <p class="soft paid-fact">{[event.venue, event.city].filter(Boolean).join(' · ')}</p>}
          {!event.isCancelled && (
            <p class="with-icon paid-mail">
              <Icon path={icons.mail} /> <span>{buyer ? fill(t.order.paidText, { email: buyer.email }) : t.order.paidTextErased}</span>
            </p>
          )}
        </div>
      </header>
      <PaidNotice {...props} />
      {event.isCancelled && (
        <Notice tone="bad">
          <p>{t.order.cancelledEventText}</p>
        </Notice>
      )}
      <MoneyBack {...props} />
      {page.tickets && <TicketCards frame={frame} t={t} tickets={page.tickets} />}
      <div class="paid-grid no-print">
        <Details {...props} />
        <div class="paid-actions">
          {buyer && <SendAgain {...props} email={buyer.email} />}
          {page.withdrawUntil && <Withdraw {...props} until={page.withdrawUntil} />}
        </div>
      </div>
    </div>
  );
}

function PaidNotice({ t, page: { notice, buyer } }: OrderProps) {
  const texts: Partial<Record<OrderNotice, { tone: 'ok' | 'warn' | 'bad'; title: string; text?: string }>> = {
    mailed: { tone: 'ok', title: fill(t.order.mailedTitle, { email: buyer?.email ?? '' }) },
    mailLimit: { tone: 'warn', title: t.order.mailLimitTitle, text: t.order.mailLimitText },
    withdrawalClosed: { tone: 'bad', title: t.order.withdrawalClosedTitle, text: t.order.withdrawalClosedText },
    busy: { tone: 'warn', title: t.checkout.busyTitle },
    failed: { tone: 'bad', title: t.checkout.failedTitle },
  };
  const found = notice && texts[notice];
  if (!found) return null;
  return (
    <Notice tone={found.tone} title={found.title} alert>
      {found.text && <p>{found.text}</p>}
    </Notice>
  );
}

const Details = (props: OrderProps) => {
  const { frame, t, page } = props;
  return (
    <section class="paid-card" aria-labelledby="details">
      <h2 id="details">{t.order.details}</h2>
      <Lines {...props} />
      <dl class="facts">
        {page.buyer && (
          <>
            <dt>{t.order.boughtFor}</dt>
            <dd>{page.buyer.name}</dd>
          </>
        )}
        {page.paidWith && (
          <>
            <dt>{t.order.paidWith}</dt>
            <dd>{t.checkout[page.paidWith]}</dd>
          </>
        )}
      </dl>
      <p class="paid-back">
        <a class="more-link" href={href(frame, page.event.path)}>
          {t.checkout.cancel}
        </a>
      </p>
    </section>
  );
};

const SendAgain = ({ frame, t, page, email }: OrderProps & { email: string }) => (
  <form class="paid-card" method="post" action={formAction(frame, page)} data-busy>
    <input type="hidden" name="do" value="mail" />
    <button class="button secondary wide" type="submit">
      <Icon path={icons.mail} size={18} /> {t.order.send}
    </button>
    <p class="soft small">{fill(t.order.sendText, { email })}</p>
  </form>
);

/** Says with numbers what happens, and needs a tick before the form can be sent. */
function Withdraw(props: OrderProps & { until: string }) {
  const { frame, t, page, until } = props;
  const left = page.total - page.refundedTotal;
  const valid = page.lines.reduce((sum, { quantity, refunded }) => sum + quantity - refunded, 0);
  const values = { date: date(until, 'moment', frame.locale), amount: amountOf(props, left) };
  return (
    <details class="paid-card withdraw">
      <summary>
        <Icon path={icons.undo} size={18} /> {t.order.withdraw}
      </summary>
      <form class="withdraw-form" method="post" action={formAction(frame, page)} data-busy>
        <input type="hidden" name="do" value="withdraw" />
        <p>{fill(left === 0 ? t.order.withdrawFreeText : t.order.withdrawText, values)}</p>
        <p>{plural(frame.locale, t.order.withdrawEffects, valid)}</p>
        <label class="tick">
          <input type="checkbox" name="confirmed" value="yes" required />
          <span>{t.order.withdrawConfirm}</span>
        </label>
        <button class="button danger wide" type="submit">
          {left === 0 ? t.order.withdrawFreeButton : fill(t.order.withdrawButton, values)}
        </button>
      </form>
    </details>
  );
}
