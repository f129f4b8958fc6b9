import { sql } from 'kysely';
import type { RowKey } from '../kernel/ids-by-event.ts';
import type { Locale } from '../kernel/locale.ts';
import type { Tx } from '../postgres/database.ts';
import type { Statement } from '../postgres/pipeline.ts';
import type { OrderRow } from './order.ts';
import { haveKeys } from './order-reads.sql.ts';

export interface NewOrderRow {
  event_id: number;
  id: number;
  status: 'held' | 'approved';
  app_category_id: number;
  session_id: number | null;
  passkey_id: number | null;
  buyer_name: string | null;
  buyer_email: string | null;
  buyer_document: string | null;
  locale: Locale | null;
  total: number;
  currency: string;
  /** Hexadecimal with the prefix `\x`, the text format of `bytea`. */
  secret_hash: string;
  created_at: Date;
  expires_at: Date;
  approved_at: Date | null;
  network: number | null;
}

/** Sends all rows as one JSON parameter. In measurements with batches this was the fastest way. */
export const insertOrders = (orders: readonly NewOrderRow[]): Statement => sql`
  insert into ticket_order (event_id, id, status, app_category_id, session_id, passkey_id, buyer_name, buyer_email, buyer_document, locale,
                            total, currency, secret_hash, created_at, expires_at, approved_at, network)
  select * from json_to_recordset(${JSON.stringify(orders)}) as o (
    event_id bigint, id bigint, status text, app_category_id int, session_id bigint, passkey_id bigint, buyer_name text, buyer_email text,
    buyer_document text, locale text, total bigint, currency text, secret_hash bytea, created_at timestamptz, expires_at timestamptz,
    approved_at timestamptz, network bigint)`;

export interface NewLineRow {
  event_id: number;
  order_id: number;
  item_id: number;
  session_ids: readonly number[];
  quantity: number;
  price: number;
  fee_sale: number;
  fee_producer: number;
  unlocked: boolean;
}

export const insertLines = (lines: readonly NewLineRow[]): Statement => sql`
  insert into order_line (event_id, order_id, item_id, session_ids, quantity, price, fee_sale, fee_producer, unlocked)
  select * from json_to_recordset(${JSON.stringify(lines)}) as l (
    event_id bigint, order_id bigint, item_id bigint, session_ids bigint[], quantity int, price bigint, fee_sale bigint, fee_producer bigint,
    unlocked boolean)`;

export interface NewStatus extends RowKey {
  status: OrderRow['status'];
  at: Date;
}

/** Also clears `network`, which is needed only while an order is held. */
export const updateStatuses = (changes: readonly NewStatus[]): Statement => sql`
  update ticket_order o set status = d.status, approved_at = case when d.status = 'approved' then d.at else o.approved_at end,
         closed_at = case when d.status = 'approved' then o.closed_at else d.at end, network = null
    from json_to_recordset(${JSON.stringify(changes)}) as d ("eventId" bigint, id bigint, status text, at timestamptz)
   where ${haveKeys(changes)} and o.event_id = d."eventId" and o.id = d.id`;

export async function extendHold(tx: Tx, { eventId, id }: RowKey, expiresAt: Date): Promise<void> {
  await tx
    .updateTable('ticket_order')
    .set({ expires_at: expiresAt, extended: true })
    .where('event_id', '=', eventId)
    .where('id', '=', id)
    .execute();
}

export interface HoldToPay extends RowKey {
  expiresAt: Date;
}

/** The hold lasts until the payment expires. Only the first payment of an order extends it. */
export const holdToPay = (holds: readonly HoldToPay[]): Statement => sql`
  update ticket_order o set expires_at = greatest(o.expires_at, d."expiresAt"), held_to_pay = true
    from json_to_recordset(${JSON.stringify(holds)}) as d ("eventId" bigint, id bigint, "expiresAt" timestamptz)
   where ${haveKeys(holds)} and o.event_id = d."eventId" and o.id = d.id`;

export interface NewBuyer extends RowKey {
  buyer_name: string;
  buyer_email: string;
  buyer_document: string | null;
  locale: Locale | null;
}

export const updateBuyers = (buyers: readonly NewBuyer[]): Statement => sql`
  update ticket_order o set buyer_name = d.buyer_name, buyer_email = d.buyer_email, buyer_document = d.buyer_document, locale = d.locale
    from json_to_recordset(${JSON.stringify(buyers)})
         as d ("eventId" bigint, id bigint, buyer_name text, buyer_email text, buyer_document text, locale text)
   where ${haveKeys(buyers)} and o.event_id = d."eventId" and o.id = d.id`;

export const eraseBuyers = (keys: readonly RowKey[]): Statement => sql`
  update ticket_order o set buyer_name = null, buyer_email = null, buyer_document = null where ${haveKeys(keys)}`;

/** Adds to the refunded quantity of the order lines. A check constraint rejects a refunded quantity above the quantity of the line. */
export const addRefunded = (
  { event_id: eventId, id: orderId }: { event_id: number; id: number },
  lines: readonly { itemId: number; quantity: number }[],
  restock: boolean,
): Statement => sql`
  update order_line l set refunded = l.refunded + d.quantity, restocked = l.restocked + case when ${restock} then d.quantity else 0 end
    from unnest(${lines.map(({ itemId }) => itemId)}::bigint[], ${lines.map(({ quantity }) => quantity)}::int[]) as d (item_id, quantity)
   where l.event_id = ${eventId} and l.order_id = ${orderId} and l.item_id = d.item_id`;
