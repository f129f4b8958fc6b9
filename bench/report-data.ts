import type { MeasuredService } from './service.ts';
import type { Sale } from './shop.ts';
import { writeSums } from './write-sums.ts';

/** The number of tickets that one statement inserts. */
const chunkSize = 50_000;

function* chunksOf(tickets: number): Generator<{ offset: number; size: number }> {
  for (let offset = 0; offset < tickets; offset += chunkSize) yield { offset, size: Math.min(chunkSize, tickets - offset) };
}

/**
 * Inserts paid orders of two tickets each, with two prices, three channels, two payment methods and some refunds. Half of the guests have
 * entered.
 */
export async function fillForReports({ query }: MeasuredService, sale: Sale, tickets: number): Promise<void> {
  const [session] = await query<{ id: string }>('select id from event_session where event_id = $1', [sale.eventId]);
  const sessionId = Number(session?.id);
  for (const { size } of chunksOf(tickets)) await query(orders(sale, sessionId, size / 2));
  // Without statistics the planner would choose nested loops over all tickets.
  await query('analyze ticket, ticket_order');
  await query(refundOneInTwenty(sale));
  for (const { offset } of chunksOf(tickets)) await query(checkins(sale, sessionId, offset));
  await writeSums({ query }, [sale.eventId]);
}

const orders = ({ eventId, itemIds }: Sale, sessionId: number, count: number): string => `
  with o as (
    insert into ticket_order (event_id, id, status, app_category_id, buyer_name, buyer_email, total, currency, secret_hash, created_at,
                              expires_at, approved_at)
    select ${eventId}, nextval('ticket_order_id'), 'approved', n % 3 + 1, 'Maria da Silva', 'maria' || n || '@example.com', 17600, 'BRL',
           sha256(n::text::bytea), now(), now(), now() from generate_series(1, ${count}) n returning event_id, id, app_category_id),
  l as (
    insert into order_line (event_id, order_id, item_id, session_ids, quantity, refunded, price, fee_sale, fee_producer, unlocked)
    select event_id, id, (array[${itemIds.join(',')}])[id % ${itemIds.length} + 1], array[${sessionId}], 2, (id % 20 = 0)::int,
           8000 + id % 2 * 1000, 800, 200, false from o returning *),
  p as (
    insert into ledger_posting (event_id, order_id, item_id, reason, source, target, amount, quantity, created_at)
    select l.event_id, l.order_id, l.item_id, r.reason, case when r.reason = 'sale' then m.paid else a.account end,
           case when r.reason = 'sale' then a.account else m.paid end, a.amount * r.quantity, r.quantity, now()
      from l cross join lateral (values ('producer', l.price - 200), ('platform', 1000)) as a (account, amount)
      cross join lateral (values ('sale', 2), ('refund', l.refunded)) as r (reason, quantity)
      cross join lateral (select case when l.order_id % 3 = 0 then 'payment:cash' else 'payment:card' end as paid) m
     where r.quantity > 0),
  t as (
    insert into ticket (event_id, order_id, item_id, session_ids, holder, created_at)
    select event_id, order_id, item_id, session_ids, 'Maria da Silva', now() from l, generate_series(1, 2))
  select`;

const refundOneInTwenty = ({ eventId }: Sale): string => `
  update ticket set status = 'refunded' where event_id = ${eventId}
     and id in (select max(id) from ticket where event_id = ${eventId} and order_id % 20 = 0 group by order_id)`;

const checkins = ({ eventId }: Sale, sessionId: number, offset: number): string => `
  insert into checkin (event_id, ticket_id, session_id, item_id, nonce, at, received_at, gate, device, result, state)
  select event_id, id, ${sessionId}, item_id, id::text, now() + id % 180 * interval '1 minute', now(), 'Gate A', 'gate-a-1', 'admitted', 'inside'
    from (select * from ticket where event_id = ${eventId} order by id offset ${offset} limit ${chunkSize}) t
   where status = 'valid' and id % 2 = 0`;
