import { type RawBuilder, sql } from 'kysely';
import type { RowKey } from '../kernel/ids-by-event.ts';
import type { Tx } from '../postgres/database.ts';
import { inEvents } from '../postgres/in-event.ts';
import type { DisputeRow } from './dispute.ts';
import type { OrderRow } from './order.ts';
import { hasStatus, isFoundBy } from './order-conditions.sql.ts';

/** Selects all fields of `OrderRow`. Append a `where` clause. */
const wholeOrder = sql`
  select o.event_id, o.id, e.producer_id, e.status as event_status, o.status, o.app_category_id, o.session_id, o.passkey_id, o.buyer_name, o.buyer_email,
         o.buyer_document, o.locale, o.total, o.currency, o.secret_hash, o.created_at, o.expires_at, o.extended, o.held_to_pay, o.approved_at, o.network,
         (select json_agg(json_build_object('itemId', l.item_id, 'name', (select i.name from item i where i.event_id = l.event_id and i.id = l.item_id),
                                            'sessionIds', l.session_ids, 'quantity', l.quantity,
                                            'refunded', l.refunded, 'restocked', l.restocked, 'price', l.price, 'feeSale', l.fee_sale,
                                            'feeProducer', l.fee_producer, 'unlocked', l.unlocked) order by l.item_id)
            from order_line l where l.event_id = o.event_id and l.order_id = o.id) as lines,
         coalesce((select json_agg(json_build_object('id', p.id, 'provider', p.provider, 'method', p.method, 'status', p.status,
                                                     'amount', p.amount, 'received', p.received, 'returned', p.returned,
                                                     'reference', p.reference, 'providerId', p.provider_id, 'expiresAt', p.expires_at,
                                                     'action', p.action, 'failure', p.failure, 'fee', p.fee,
                                                     'createdAt', p.created_at) order by p.id)
                     from payment p where p.event_id = o.event_id and p.order_id = o.id), '[]') as payments,
         coalesce((select json_agg(json_build_object('id', r.id, 'paymentId', r.payment_id, 'amount', r.amount, 'reason', r.reason,
                                                     'status', r.status, 'failure', r.failure, 'note', r.note, 'createdAt', r.created_at,
                                                     'finishedAt', r.finished_at) order by r.id)
                     from refund r where r.event_id = o.event_id and r.order_id = o.id), '[]') as refunds,
         coalesce((select json_agg(json_build_object('id', d.id, 'paymentId', d.payment_id, 'providerId', d.provider_id, 'amount', d.amount,
                                                     'fee', d.fee, 'reason', d.reason, 'status', d.status, 'movements', d.movements,
                                                     'openedAt', d.opened_at, 'closedAt', d.closed_at) order by d.id)
                     from payment_dispute d where d.event_id = o.event_id and d.order_id = o.id), '[]') as disputes
    from ticket_order o join event e on e.id = o.event_id`;

/**
 * Ids are unique across events, so the two lists together select exactly the orders of these keys. PostgreSQL looks both columns up in the
 * primary key. With a join to the list of keys it would use the index on `id` alone.
 */
export const haveKeys = (keys: readonly RowKey[]): RawBuilder<unknown> => sql`
  ${inEvents(
    sql`o.event_id`,
    keys.map(({ eventId }) => eventId),
  )} and o.id = any(${keys.map(({ id }) => id)}::bigint[])`;

export async function selectOrders(tx: Tx, keys: readonly RowKey[]): Promise<OrderRow[]> {
  return (await sql<OrderRow>`${wholeOrder} where ${haveKeys(keys)} order by o.event_id, o.id`.execute(tx)).rows;
}

/** Returns the length of the withdrawal period in days, and the start of the order's first session. */
export async function selectWithdrawalTerms(
  tx: Tx,
  { event_id: eventId, lines }: OrderRow,
): Promise<{ days: number; startsAt: Date | null }> {
  const { rows } = await sql<{ days: number; startsAt: Date | null }>`
    select withdrawal_days as days,
           (select min(starts_at) from event_session
             where event_id = ${eventId} and id = any(${lines.flatMap(({ sessionIds }) => sessionIds)}::bigint[])) as "startsAt"
      from event where id = ${eventId}`.execute(tx);
  return rows[0] ?? { days: 0, startsAt: null };
}

/** Locking is a statement of its own, because lines and payments must be read after the locks are granted. */
export async function lockOrderRows(tx: Tx, keys: readonly RowKey[]): Promise<void> {
  await sql`select from ticket_order o where ${haveKeys(keys)} order by o.event_id, o.id for update`.execute(tx);
}

/** Draws ids for new orders. The ids of refused orders stay unused. */
export const newOrderIds = (count: number): RawBuilder<{ id: number }> => sql<{ id: number }>`
  select nextval('ticket_order_id') as id from generate_series(1, ${count})`;

export interface OrderFilter {
  eventId: number;
  status: OrderRow['status'] | undefined;
  dispute: DisputeRow['status'] | undefined;
  term: string | undefined;
  channel: number | undefined;
  itemId: number | undefined;
  method: string | undefined;
  from: Date | undefined;
  to: Date | undefined;
  at: Date;
}

function matching({ eventId, status, dispute, term, channel, itemId, method, from, to, at }: OrderFilter): RawBuilder<unknown> {
  const ofItem = sql`exists (select 1 from order_line l where l.event_id = o.event_id and l.order_id = o.id and l.item_id = ${itemId})`;
  const hasDispute = sql`o.id in (select order_id from payment_dispute where event_id = ${eventId} and status = ${dispute})`;
  const paidWith = sql`
    exists (select 1 from payment p
             where p.event_id = o.event_id and p.order_id = o.id and p.status = 'approved' and p.method = ${method})`;
  const conditions = [
    sql`o.event_id = ${eventId}`,
    ...(status === undefined ? [] : [hasStatus(status, at)]),
    ...(dispute === undefined ? [] : [hasDispute]),
    ...(term === undefined ? [] : [isFoundBy(term)]),
    ...(channel === undefined ? [] : [sql`o.app_category_id = ${channel}`]),
    ...(itemId === undefined ? [] : [ofItem]),
    ...(method === undefined ? [] : [paidWith]),
    ...(from === undefined ? [] : [sql`o.created_at >= ${from}`]),
    ...(to === undefined ? [] : [sql`o.created_at <= ${to}`]),
  ];
  return sql.join(conditions, sql` and `);
}

export async function selectOrdersOfEvent(tx: Tx, filter: OrderFilter, before: number | null, limit: number): Promise<OrderRow[]> {
  const start = before === null ? sql`true` : sql`o.id < ${before}`;
  const { rows } = await sql<OrderRow>`
    ${wholeOrder} where ${start} and ${matching(filter)} order by o.event_id desc, o.id desc limit ${limit}`.execute(tx);
  return rows;
}

export async function countOrders(tx: Tx, filter: OrderFilter): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from ticket_order o where ${matching(filter)}`.execute(tx);
  return rows[0]?.n ?? 0;
}
