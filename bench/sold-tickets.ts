import type { MeasuredService } from './service.ts';
import type { Sale } from './shop.ts';
import { writeSums } from './write-sums.ts';

/**
 * Fills an event with paid orders of one ticket each. It writes the same rows and counters as orders over HTTP would, but thousands of times
 * faster. The event must have one item.
 */
export async function sellTickets(service: MeasuredService, sale: Sale, count: number): Promise<void> {
  await service.query(paidOrders(sale, { orders: count, perOrder: 1 }));
  await writeSums(service, [sale.eventId]);
  await finishMaintenance(service);
}

/** Returns the statement that inserts paid orders with their tickets and money, and that counts them. */
export const paidOrders = ({ eventId, itemIds: [itemId] }: Sale, { orders, perOrder }: { orders: number; perOrder: number }): string => `
  with o as (
    insert into ticket_order (event_id, id, status, app_category_id, buyer_name, buyer_email, buyer_document, total, currency, secret_hash,
                              created_at, expires_at, approved_at)
    select ${eventId}, nextval('ticket_order_id'), 'approved', 1, 'Maria da Silva ' || n, 'maria' || n || '@example.com',
           (10000000000 + n)::text, ${8_800 * perOrder}, 'BRL', sha256(n::text::bytea), now(), now(), now() from generate_series(1, ${orders}) n
    returning event_id, id, buyer_name),
  l as (
    insert into order_line (event_id, order_id, item_id, session_ids, quantity, price, fee_sale, fee_producer, unlocked)
    select event_id, id, ${itemId}, array(select id from event_session where event_id = ${eventId}), ${perOrder}, 8000, 800, 200, false from o
    returning event_id, order_id, item_id, session_ids),
  t as (
    insert into ticket (event_id, order_id, item_id, session_ids, holder, created_at)
    select l.event_id, l.order_id, l.item_id, l.session_ids, o.buyer_name, now()
      from l join o on o.id = l.order_id cross join generate_series(1, ${perOrder})),
  p as (
    insert into payment (event_id, order_id, provider, method, amount, received, status, created_at)
    select event_id, id, 'sandbox', 'card', ${8_800 * perOrder}, ${8_800 * perOrder}, 'approved', now() from o),
  m as (
    insert into ledger_posting (event_id, order_id, item_id, reason, source, target, amount, quantity, created_at)
    select event_id, id, ${itemId}, 'sale', 'payment:card', target, amount, ${perOrder}, now()
      from o, (values ('producer', ${7_800 * perOrder}), ('platform', ${1_000 * perOrder})) as side (target, amount)),
  b as (
    insert into item_buyer (event_id, item_id, buyer, taken, most)
    select ${eventId}, ${itemId}, substr(sha256(('maria' || n)::bytea), 1, 16), ${perOrder}, 4 from generate_series(1, ${orders}) n),
  i as (update item set sold = sold + ${orders * perOrder} where event_id = ${eventId}),
  s as (update event_session set sold = sold + ${orders * perOrder} where event_id = ${eventId})
  update sale_period set sold = sold + ${orders * perOrder} where event_id = ${eventId} and item_id = ${itemId}`;

/** Runs vacuum, analyze and a checkpoint, so that PostgreSQL does not do this work during a measurement. */
export async function finishMaintenance({ query }: Pick<MeasuredService, 'query'>): Promise<void> {
  await query('vacuum analyze');
  await checkpoint({ query });
}

/** SQLSTATE of a refused permission. */
const insufficientPrivilege = '42501';

/** Writes all changed pages to the disk. Only superusers and members of `pg_checkpoint` may do this, so elsewhere it is left out. */
export async function checkpoint({ query }: Pick<MeasuredService, 'query'>): Promise<void> {
  await query('checkpoint').catch((error: unknown) => {
    if ((error as { code?: string }).code !== insufficientPrivilege) throw error;
  });
}
