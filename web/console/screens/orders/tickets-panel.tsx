import { useState } from 'preact/hooks';
import type { OrdersMessages } from '../../../messages/console/orders.en.ts';
import { fill } from '../../../messages/fill.ts';
import { money } from '../../../ui/format.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { useEvent } from '../../app/use-event.ts';
import { type Column, Table } from '../../parts/table.tsx';
import type { Details, Order } from './order-words.tsx';

export type Ticket = Details['tickets']['data'][number];

/** The lines with their prices, and below them each ticket with its state. */
export function TicketsPanel({ details: { order, tickets } }: { details: Details }) {
  const t = useMessages<OrdersMessages>();
  return (
    <section class="panel">
      <h2>{t.lines.title}</h2>
      <Lines order={order} />
      {tickets.data.length === 0 && order.status === 'held' && <p class="soft">{t.ticket.pending}</p>}
      {tickets.data.length > 0 && <TicketTable order={order} first={tickets} />}
    </section>
  );
}

function Lines({ order }: { order: Order }) {
  const { locale } = useConsole();
  const t = useMessages<OrdersMessages>();
  const amount = (cents: number) => money(cents, order.currency, locale);
  return (
    <ul class="orders-lines">
      {order.lines.map(({ itemId, name, quantity, refunded, finalPrice }) => (
        <li key={itemId}>
          <span>
            {quantity} × {name}
            {refunded > 0 && <span class="pill bad">{fill(t.lines.refunded, { count: refunded })}</span>}
          </span>
          <span>{amount(quantity * finalPrice)}</span>
        </li>
      ))}
      <li class="orders-total">
        <span>{t.total}</span>
        <span>{amount(order.total)}</span>
      </li>
      {order.refundedTotal > 0 && (
        <li>
          <span>{t.refundedTotal}</span>
          <span>−{amount(order.refundedTotal)}</span>
        </li>
      )}
    </ul>
  );
}

/** An order can have more tickets than the first response has. */
function TicketTable({ order, first }: { order: Order; first: Details['tickets'] }) {
  const { client } = useConsole();
  const { event } = useEvent();
  const t = useMessages<OrdersMessages>();
  const [further, setFurther] = useState<Details['tickets'] | null>(null);
  const cursor = further ? further.nextCursor : first.nextCursor;
  const more = async () => {
    const next = await client.orders.tickets({ id: order.id, pageSize: 200, ...(cursor && { cursor }) });
    setFurther({ ...next, data: [...(further?.data ?? []), ...next.data] });
  };
  const sessionName = (ids: readonly number[]) => event.sessions.find(({ id }) => ids.length === 1 && id === ids[0])?.name;
  const columns: Column<Ticket>[] = [
    { key: 'number', label: t.ticket.number, cell: ({ id }) => id },
    {
      key: 'item',
      label: t.lines.ordered,
      cell: ({ name, sessionIds }) => (
        <span class="two-lines">
          <span>{name}</span>
          {event.sessions.length > 1 && <span class="soft small">{sessionName(sessionIds)}</span>}
        </span>
      ),
    },
    { key: 'code', label: t.ticket.code, cell: ({ shortCode, code }) => <code>{shortCode ?? code}</code> },
    { key: 'state', label: t.ticket.state, cell: (ticket) => <TicketPill ticket={ticket} /> },
  ];
  return (
    <Table
      name="order-tickets"
      caption={t.lines.title}
      columns={columns}
      rows={[...first.data, ...(further?.data ?? [])]}
      rowKey={({ id }) => id}
      more={cursor ? more : null}
    />
  );
}

function TicketPill({ ticket: { status, used } }: { ticket: Ticket }) {
  const t = useMessages<OrdersMessages>();
  if (status === 'refunded') return <span class="pill bad">{t.ticket.refunded}</span>;
  return used ? <span class="pill brand">{t.ticket.used}</span> : <span class="pill ok">{t.ticket.valid}</span>;
}
