import { useEffect, useRef } from 'preact/hooks';
import type { BoxOfficeMessages } from '../../../messages/console/box-office.en.ts';
import { fill, plural } from '../../../messages/fill.ts';
import { date, money } from '../../../ui/format.ts';
import { Icon } from '../../../ui/icon.tsx';
import * as icons from '../../../ui/icons.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { to } from '../../app/place.ts';
import { useEvent } from '../../app/use-event.ts';
import { QrCode } from '../../parts/qr-code.tsx';
import { readPrints } from './printing.ts';
import type { Sold } from './use-sale.ts';

/** The change, the tickets to print, and the next customer with one key. */
export function SoldPanel({ sold, onNext }: { sold: Sold; onNext: () => void }) {
  const { locale } = useConsole();
  const { event } = useEvent();
  const t = useMessages<BoxOfficeMessages>();
  const next = useRef<HTMLButtonElement>(null);
  const { sale, orderId, tickets } = sold;
  const change = sale.received === null ? 0 : sale.received - sale.total;
  useEffect(() => {
    next.current?.focus();
    // The tickets must be on the page before it is printed.
    if (readPrints()) setTimeout(() => print(), 0);
  }, []);
  useEffect(() => {
    // The button has the focus at first, but printing or a click elsewhere may take it away.
    const listen = (pressed: KeyboardEvent) => {
      if (pressed.ctrlKey || pressed.metaKey || pressed.altKey) return;
      if (pressed.key.toLowerCase() === 'p') print();
      if (pressed.key === 'Enter' && pressed.target === document.body) onNext();
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, [onNext]);
  const email = sale.order.buyer?.email;
  return (
    <>
      <section class="panel box-sold">
        <Icon path={icons.check} size={40} />
        <h2>{plural(locale, t.sold.title, tickets.length)}</h2>
        <p class="box-big">{change > 0 ? fill(t.sold.change, { amount: money(change, event.currency, locale) }) : t.sold.exact}</p>
        {email && <p>{fill(t.sold.mailed, { email })}</p>}
        <div class="actions">
          <button ref={next} type="button" class="button" onClick={onNext}>
            {t.sold.next} <kbd class="box-key">Enter</kbd>
          </button>
          <button type="button" class="button plain" onClick={() => print()}>
            {t.sold.print} <kbd class="box-key">P</kbd>
          </button>
          <a href={to(`/events/${event.id}/orders/${orderId}`)}>{fill(t.sold.order, { id: orderId })}</a>
        </div>
      </section>
      <PrintedTickets sold={sold} />
    </>
  );
}

/** The tickets on paper. They are shown only when the page is printed. */
function PrintedTickets({ sold: { orderId, tickets } }: { sold: Sold }) {
  const { locale } = useConsole();
  const { event } = useEvent();
  const t = useMessages<BoxOfficeMessages>();
  const sessionsOf = (ids: readonly number[]) => event.sessions.filter(({ id }) => ids.includes(id));
  return (
    <div class="box-print">
      {tickets.map(({ id, name, sessionIds, code, shortCode }) => (
        <article key={id} class="box-ticket">
          <div>
            <h3>{event.title}</h3>
            <p>
              <b>{name}</b>
            </p>
            {sessionsOf(sessionIds).map((session) => (
              <p key={session.id}>
                {session.name} · {date(session.start, 'longMoment', locale)}
              </p>
            ))}
            {event.venue && <p>{[event.venue.name, event.venue.city].filter(Boolean).join(', ')}</p>}
            <p class="small">
              {fill(t.ticket.order, { id: orderId })} · {shortCode ?? id}
            </p>
          </div>
          <QrCode text={code} label={t.ticket.code} />
        </article>
      ))}
    </div>
  );
}
