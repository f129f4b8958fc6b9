import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';
import type { Statement } from '../postgres/together.ts';

/** An order with its lines. */
export interface OrderRow {
  event_id: number;
  id: number;
  producer_id: number;
  event_status: string;
  status: 'held' | 'approved' | 'expired' | 'cancelled' | 'refunded';
  app_category_id: number;
  session_id: number | null;
  passkey_id: number | null;
  buyer_name: string | null;
  buyer_email: string | null;
  buyer_document: string | null;
  total: number;
  currency: string;
  secret_hash: Buffer;
  created_at: Date;
  expires_at: Date;
  extended: boolean;
  approved_at: Date | null;
  lines: LineRow[];
}

interface LineRow {
  itemId: number;
  name: string;
  sessionIds: number[];
  quantity: number;
  refunded: number;
  price: number;
  feeSale: number;
  feeProducer: number;
  unlocked: boolean;
}

const whole = sql`
  select o.event_id, o.id, e.producer_id, e.status as event_status, o.status, o.app_category_id, o.session_id, o.passkey_id, o.buyer_name, o.buyer_email,
         o.buyer_document, o.total, o.currency, o.secret_hash, o.created_at, o.expires_at, o.extended, o.approved_at,
         (select json_agg(json_build_object('itemId', l.item_id, 'name', i.name, 'sessionIds', l.session_ids, 'quantity', l.quantity,
                                            'refunded', l.refunded, 'price', l.price, 'feeSale', l.fee_sale, 'feeProducer', l.fee_producer,
                                            'unlocked', l.unlocked) order by l.item_id)
            from order_line l join item i on i.id = l.item_id where l.event_id = o.event_id and l.order_id = o.id) as lines
    from ticket_order o join event e on e.id = o.event_id`;

export async function selectOrders(tx: Tx, ids: readonly number[]): Promise<OrderRow[]> {
  return (await sql<OrderRow>`${whole} where o.id = any(${ids}) order by o.id`.execute(tx)).rows;
}

/** In a statement of its own: what hangs on the orders must be read after the wait for the locks. */
export async function lockOrderRows(tx: Tx, ids: readonly number[]): Promise<void> {
  await sql`select from ticket_order where id = any(${ids}) order by id for update`.execute(tx);
}

/** Holds that ran out and nobody else is dealing with, of these events or of all; a bounded number at a time. */
export async function lockDue(tx: Tx, eventIds: readonly number[] | null, at: Date, limit: number): Promise<number[]> {
  const ofEvents = eventIds === null ? sql`true` : sql`event_id = any(${eventIds})`;
  const { rows } = await sql<{ id: number }>`
    select id from ticket_order where status = 'held' and expires_at <= ${at} and ${ofEvents}
     order by expires_at limit ${limit} for update skip locked`.execute(tx);
  return rows.map(({ id }) => id);
}

export interface StatusMove {
  id: number;
  status: OrderRow['status'];
  at: Date;
}

export const moveStatus = (moves: readonly StatusMove[]): Statement => sql`
  update ticket_order o set status = d.status, approved_at = case when d.status = 'approved' then d.at else o.approved_at end,
         closed_at = case when d.status = 'approved' then o.closed_at else d.at end
    from json_to_recordset(${JSON.stringify(moves)}) as d (id bigint, status text, at timestamptz) where o.id = d.id`;

export async function extendHold(tx: Tx, id: number, expiresAt: Date): Promise<void> {
  await tx.updateTable('ticket_order').set({ expires_at: expiresAt, extended: true }).where('id', '=', id).execute();
}

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
