import { type RawBuilder, sql } from 'kysely';
import type { Scope } from '../accounts/roles.ts';
import type { Database, Tx } from '../postgres/database.ts';
import { queryPrepared, type Statement } from '../postgres/pipeline.ts';
import type { OrderRow } from './order-row.ts';

const whole = sql`
  select o.event_id, o.id, e.producer_id, e.status as event_status, o.status, o.app_category_id, o.session_id, o.passkey_id, o.buyer_name, o.buyer_email,
         o.buyer_document, o.total, o.currency, o.secret_hash, o.created_at, o.expires_at, o.extended, o.approved_at, o.network,
         (select json_agg(json_build_object('itemId', l.item_id, 'name', i.name, 'sessionIds', l.session_ids, 'quantity', l.quantity,
                                            'refunded', l.refunded, 'restocked', l.restocked, 'price', l.price, 'feeSale', l.fee_sale,
                                            'feeProducer', l.fee_producer, 'unlocked', l.unlocked) order by l.item_id)
            from order_line l join item i on i.id = l.item_id where l.event_id = o.event_id and l.order_id = o.id) as lines,
         coalesce((select json_agg(json_build_object('id', p.id, 'method', p.method, 'status', p.status, 'amount', p.amount, 'received', p.received,
                                                     'returned', p.returned, 'reference', p.reference, 'createdAt', p.created_at) order by p.id)
                     from payment p where p.event_id = o.event_id and p.order_id = o.id), '[]') as payments
    from ticket_order o join event e on e.id = o.event_id`;

export async function selectOrders(tx: Tx, ids: readonly number[]): Promise<OrderRow[]> {
  return (await sql<OrderRow>`${whole} where o.id = any(${ids}) order by o.id`.execute(tx)).rows;
}

/** For how many days a buyer may withdraw, and when the first session of the order begins. */
export async function selectWithdrawalTerms(
  tx: Tx,
  { event_id: eventId, lines }: OrderRow,
): Promise<{ days: number; begins: Date | null }> {
  const { rows } = await sql<{ days: number; begins: Date | null }>`
    select withdrawal_days as days,
           (select min(starts_at) from event_session where id = any(${lines.flatMap(({ sessionIds }) => sessionIds)}::bigint[])) as begins
      from event where id = ${eventId}`.execute(tx);
  return rows[0] ?? { days: 0, begins: null };
}

export async function selectOrderScope(db: Database, id: number): Promise<Scope | undefined> {
  const row = await db
    .selectFrom('ticket_order')
    .innerJoin('event', 'event.id', 'ticket_order.event_id')
    .select(['ticket_order.event_id', 'event.producer_id'])
    .where('ticket_order.id', '=', id)
    .executeTakeFirst();
  return row && { producerId: row.producer_id, eventId: row.event_id };
}

/** By order; orders that do not exist are left out. */
export async function selectEventsOfOrders(db: Database, ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const rows = await queryPrepared(
    db,
    sql<{ id: number; event_id: number }>`select id, event_id from ticket_order where id = any(${ids}::bigint[])`,
  );
  return new Map(rows.map(({ id, event_id }) => [id, event_id]));
}

/** In a statement of its own: what hangs on the orders must be read after the wait for the locks. */
export async function lockOrderRows(tx: Tx, ids: readonly number[]): Promise<void> {
  await sql`select from ticket_order where id = any(${ids}) order by id for update`.execute(tx);
}

/** Holds that ran out, those that did so first; a bounded number at a time. */
export interface Due {
  /** Of all events when left out. */
  eventIds?: readonly number[];
  at: Date;
  limit: number;
}

/** By the index of what is due, of which there is little at any time; with the plain column all orders of the events would be looked at. */
const due = ({ eventIds, at, limit }: Due) => sql`
  select event_id, id from ticket_order
   where status = 'held' and expires_at <= ${at} and ${eventIds ? sql`event_id + 0 = any(${eventIds})` : sql`true`}
   order by expires_at, id limit ${limit}`;

/**
 * Those that nobody else is dealing with. Whether they are still held is asked of the row as it was locked, in a way that keeps it from being
 * looked up among all that is held.
 */
export const lockedDue = (asked: Due): RawBuilder<OrderRow> => sql<OrderRow>`
  ${whole} where o.id = any(array(select id from (${due(asked)}) d)) and o.status || '' = 'held' order by o.id for update of o skip locked`;

/** What the counters of those have to do with. */
export const countersOfDue = (asked: Due) => ({
  items: sql`select l.item_id from ${linesOfDue(asked)}`,
  sessions: sql`select unnest(l.session_ids) from ${linesOfDue(asked)}`,
});

/** There are few of them among very many: they are found first, and their lines by their names. */
const linesOfDue = (asked: Due) => sql`
  (${due(asked)}) d cross join lateral
  (select item_id, session_ids from order_line where event_id = d.event_id and order_id = d.id offset 0) l`;

/** Numbers for new orders. Those of orders that come to nothing are left out. */
export const orderNumbers = (count: number): RawBuilder<{ id: number }> => sql<{ id: number }>`
  select nextval('ticket_order_id') as id from generate_series(1, ${count})`;

export interface StatusMove {
  id: number;
  status: OrderRow['status'];
  at: Date;
}

/** Networks are only needed while an order is held. */
export const moveStatus = (moves: readonly StatusMove[]): Statement => sql`
  update ticket_order o set status = d.status, approved_at = case when d.status = 'approved' then d.at else o.approved_at end,
         closed_at = case when d.status = 'approved' then o.closed_at else d.at end, network = null
    from json_to_recordset(${JSON.stringify(moves)}) as d (id bigint, status text, at timestamptz) where o.id = d.id`;

export async function extendHold(tx: Tx, id: number, expiresAt: Date): Promise<void> {
  await tx.updateTable('ticket_order').set({ expires_at: expiresAt, extended: true }).where('id', '=', id).execute();
}

export const eraseBuyer = (id: number): Statement => sql`
  update ticket_order set buyer_name = null, buyer_email = null, buyer_document = null where id = ${id}`;

export interface OrderFilter {
  eventId: number;
  status: OrderRow['status'] | undefined;
  term: string | undefined;
  channel: number | undefined;
  itemId: number | undefined;
  from: Date | undefined;
  to: Date | undefined;
  at: Date;
}

function matching({ eventId, status, term, channel, itemId, from, to, at }: OrderFilter): RawBuilder<unknown> {
  const due = sql`o.status = 'held' and o.expires_at <= ${at}`;
  const inStatus = {
    held: sql`o.status = 'held' and o.expires_at > ${at}`,
    expired: sql`(o.status = 'expired' or ${due})`,
    approved: sql`o.status = 'approved'`,
    cancelled: sql`o.status = 'cancelled'`,
    refunded: sql`o.status = 'refunded'`,
  };
  const begins = (column: RawBuilder<unknown>) => sql`starts_with(plain_text(${column}), plain_text(${term}))`;
  const ofBuyer = sql`(${begins(sql`o.buyer_name`)} or ${begins(sql`o.buyer_email`)} or ${begins(sql`o.buyer_document`)}
                       or o.id::text = ${term})`;
  const ofItem = sql`exists (select from order_line l where l.event_id = o.event_id and l.order_id = o.id and l.item_id = ${itemId})`;
  const all = [
    sql`o.event_id = ${eventId}`,
    ...(status === undefined ? [] : [inStatus[status]]),
    ...(term === undefined ? [] : [ofBuyer]),
    ...(channel === undefined ? [] : [sql`o.app_category_id = ${channel}`]),
    ...(itemId === undefined ? [] : [ofItem]),
    ...(from === undefined ? [] : [sql`o.created_at >= ${from}`]),
    ...(to === undefined ? [] : [sql`o.created_at <= ${to}`]),
  ];
  return sql.join(all, sql` and `);
}

export async function selectOrdersOfEvent(tx: Tx, filter: OrderFilter, before: number | null, limit: number): Promise<OrderRow[]> {
  const start = before === null ? sql`true` : sql`o.id < ${before}`;
  const { rows } = await sql<OrderRow>`
    ${whole} where ${start} and ${matching(filter)} order by o.event_id desc, o.id desc limit ${limit}`.execute(tx);
  return rows;
}

export async function countOrders(tx: Tx, filter: OrderFilter): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from ticket_order o where ${matching(filter)}`.execute(tx);
  return rows[0]?.n ?? 0;
}
