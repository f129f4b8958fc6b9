import { fill } from '../../../messages/fill.ts';
import { date } from '../../../ui/format.ts';
import type { OrderProps } from './order.tsx';

/** The tickets of a paid order. */
export const OrderTickets = ({ frame, t, page }: OrderProps) => (
  <section class="order-tickets" aria-labelledby="tickets-title">
    <h2 id="tickets-title">{t.order.ticketsTitle}</h2>
    <ul class="passes">
      {page.tickets.map(({ id, name, status, sessionIds }, i) => {
        const sessions = page.event.sessions.filter((session) => sessionIds.includes(session.id));
        return (
          <li class={`pass ${status}`}>
            {status === 'valid' ? (
              <img
                src={`/v1/tickets/${id}/qr.svg?orderId=${page.id}`}
                alt={fill(t.order.ticketCode, { number: i + 1 })}
                width="200"
                height="200"
              />
            ) : (
              <p class="pass-refunded">{t.order.refundedTicket}</p>
            )}
            <p class="pass-name">{name}</p>
            <p class="soft small">
              {fill(t.order.ticketNumber, { number: i + 1 })}
              {sessions.length === 1 && sessions[0] && ` · ${date(sessions[0].start, 'moment', frame.locale)}`}
            </p>
          </li>
        );
      })}
    </ul>
    {page.hasMoreTickets && <p class="soft">{t.order.moreTickets}</p>}
  </section>
);
