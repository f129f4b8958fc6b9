import type { Ticket } from '../../../src/storefront/contract.ts';
import type { TicketChoice } from '../../../src/web/contract.ts';
import type { Messages } from '../../messages/catalogues.ts';
import { fill, plural } from '../../messages/fill.ts';
import { date, money } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import * as icons from '../../ui/icons.ts';
import { isOpen, least } from './choice-rules.ts';
import { Stepper } from './stepper.tsx';

interface TicketRowProps {
  ticket: Ticket;
  choice: TicketChoice;
  t: Messages['tickets'];
  quantity: number;
  onChange: (quantity: number) => void;
}

/** The status in words. For an item on sale it is empty. */
export function statusText({ status, start }: Ticket, t: Messages['tickets'], locale: string): string {
  if (status === 'available') return '';
  if (status === 'notstarted') return fill(t.notstarted, { date: start ? date(start, 'shortMoment', locale) : '' });
  return t[status];
}

/** One item. The total price comes first and is the largest; the price and the fee that it consists of stand below it. */
export function TicketRow({ ticket, choice, t, quantity, onChange }: TicketRowProps) {
  const open = isOpen(ticket);
  return (
    <li class={`ticket ${open ? 'open' : 'closed'}${quantity > 0 ? ' chosen' : ''}`} data-item={ticket.id} tabIndex={-1}>
      <div class="ticket-text">
        <p class="ticket-name">{ticket.name}</p>
        {ticket.description && <p class="ticket-description">{ticket.description}</p>}
        <Notes ticket={ticket} choice={choice} t={t} />
      </div>
      {(open || ticket.status === 'notstarted') && <Price ticket={ticket} t={t} locale={choice.locale} />}
      <div class="ticket-action">
        {open ? (
          <Stepper ticket={ticket} quantity={quantity} maximumPerOrder={choice.maximumPerOrder} t={t} onChange={onChange} />
        ) : (
          <span class="ticket-closed">
            <span class="pill">{statusText(ticket, t, choice.locale)}</span>
            {ticket.status === 'soldout' && !ticket.hidden && choice.waitingListHref && (
              <a href={choice.waitingListHref}>{t.joinWaitingList}</a>
            )}
          </span>
        )}
      </div>
    </li>
  );
}

function Price({
  ticket: { price, feeSale, finalPrice, currency },
  t,
  locale,
}: {
  ticket: Ticket;
  t: Messages['tickets'];
  locale: string;
}) {
  if (finalPrice === null) return null;
  const amount = (cents: number) => money(cents, currency, locale);
  return (
    <div class="ticket-price">
      <strong>{finalPrice === 0 ? t.free : amount(finalPrice)}</strong>
      {finalPrice > 0 && (
        <span class="ticket-fee">{feeSale ? fill(t.fee, { price: amount(price ?? 0), fee: amount(feeSale) }) : t.noFee}</span>
      )}
    </div>
  );
}

/** Facts that help to decide: how many are left, for which session, and how many may be ordered. */
function Notes({ ticket, choice, t }: Pick<TicketRowProps, 'ticket' | 'choice' | 't'>) {
  const { remaining, maximum, type, hidden, sessionIds } = ticket;
  const open = isOpen(ticket);
  const sessions = Object.keys(choice.sessionStarts);
  const isForOne = choice.sessionId === null && sessions.length > 1 && sessionIds.length === 1;
  const start = isForOne ? choice.sessionStarts[sessionIds[0] ?? 0] : undefined;
  return (
    <p class="ticket-notes">
      {open && remaining !== null && (
        <span class="pill warn">
          <Icon path={icons.clock} size={14} /> {plural(choice.locale, t.left, remaining)}
        </span>
      )}
      {hidden && (
        <span class="pill brand">
          <Icon path={icons.key} size={14} /> {t.unlocked}
        </span>
      )}
      {type === 'passport' && sessions.length > 1 && <span class="pill">{t.passport}</span>}
      {start && <span class="pill">{date(start, 'moment', choice.locale)}</span>}
      {open && least(ticket) > 1 && <span class="note">{fill(t.minimum, { count: least(ticket) })}</span>}
      {open && maximum !== null && <span class="note">{fill(t.limit, { count: maximum })}</span>}
    </p>
  );
}
