import { sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';

export interface OrderKey {
  eventId: number;
  id: number;
}

/** Numbers for new orders, and the holds of these events that have run out. */
export async function beginBatch(
  tx: Tx,
  eventIds: readonly number[],
  at: Date,
  orders: number,
): Promise<{ ids: number[]; due: OrderKey[] }> {
  const { rows } = await sql<{ ids: number[]; due: OrderKey[] }>`
    select array(select nextval('ticket_order_id') from generate_series(1, ${orders})) as ids,
           coalesce((select json_agg(json_build_object('eventId', event_id, 'id', id))
                       from ticket_order where event_id = any(${eventIds}) and status = 'held' and expires_at <= ${at}), '[]') as due`.execute(
    tx,
  );
  return rows[0] ?? { ids: [], due: [] };
}

export interface NewOrderRow {
  event_id: number;
  id: number;
  status: 'held' | 'approved';
  app_category_id: number;
  session_id: number | null;
  passkey_id: number | null;
  buyer_name: string;
  buyer_email: string;
  buyer_document: string | null;
  total: number;
  currency: string;
  secret_hash: Buffer;
  created_at: Date;
  expires_at: Date;
  approved_at: Date | null;
}

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

/** One statement for any number of orders and lines: an array a column. Sessions are texts, as arrays in arrays must be of one length. */
export async function insertOrders(tx: Tx, orders: readonly NewOrderRow[], lines: readonly NewLineRow[]): Promise<void> {
  const o = <K extends keyof NewOrderRow>(name: K) => orders.map((order) => order[name]);
  const l = <K extends keyof NewLineRow>(name: K) => lines.map((line) => line[name]);
  await sql`
    with placed as (
      insert into ticket_order (event_id, id, status, app_category_id, session_id, passkey_id, buyer_name, buyer_email, buyer_document, total,
                                currency, secret_hash, created_at, expires_at, approved_at)
      select * from unnest(
        ${o('event_id')}::bigint[], ${o('id')}::bigint[], ${o('status')}::text[], ${o('app_category_id')}::int[], ${o('session_id')}::bigint[],
        ${o('passkey_id')}::bigint[], ${o('buyer_name')}::text[], ${o('buyer_email')}::text[], ${o('buyer_document')}::text[],
        ${o('total')}::bigint[], ${o('currency')}::text[], ${o('secret_hash')}::bytea[], ${o('created_at')}::timestamptz[],
        ${o('expires_at')}::timestamptz[], ${o('approved_at')}::timestamptz[]))
    insert into order_line (event_id, order_id, item_id, session_ids, quantity, price, fee_sale, fee_producer, unlocked)
    select event_id, order_id, item_id, sessions::bigint[], quantity, price, fee_sale, fee_producer, unlocked from unnest(
      ${l('event_id')}::bigint[], ${l('order_id')}::bigint[], ${l('item_id')}::bigint[], ${lines.map((line) => `{${line.session_ids.join(',')}}`)}::text[],
      ${l('quantity')}::int[], ${l('price')}::bigint[], ${l('fee_sale')}::bigint[], ${l('fee_producer')}::bigint[], ${l('unlocked')}::boolean[])
      as line (event_id, order_id, item_id, sessions, quantity, price, fee_sale, fee_producer, unlocked)`.execute(tx);
}

export interface BuyerKey {
  eventId: number;
  itemId: number;
  buyer: Buffer;
}

/** How many of these items these buyers have. The lock of the item guards the count. */
export async function selectTaken(tx: Tx, keys: readonly BuyerKey[]): Promise<(BuyerKey & { taken: number })[]> {
  const { rows } = await sql<BuyerKey & { taken: number }>`
    select b.event_id as "eventId", b.item_id as "itemId", b.buyer, b.taken
      from unnest(${keys.map(({ eventId }) => eventId)}::bigint[], ${keys.map(({ itemId }) => itemId)}::bigint[],
                  ${keys.map(({ buyer }) => buyer)}::bytea[]) as asked (event_id, item_id, buyer)
      join item_buyer b using (event_id, item_id, buyer)`.execute(tx);
  return rows;
}

/** The check of the table is the last to judge: what would pass the limit of a buyer fails here. */
export async function moveTaken(tx: Tx, moves: readonly (BuyerKey & { by: number; most: number | null })[]): Promise<void> {
  await sql`
    insert into item_buyer (event_id, item_id, buyer, taken, most)
    select event_id, item_id, buyer, moved, coalesce(most, 0)
      from unnest(${moves.map(({ eventId }) => eventId)}::bigint[], ${moves.map(({ itemId }) => itemId)}::bigint[],
                  ${moves.map(({ buyer }) => buyer)}::bytea[], ${moves.map(({ by }) => by)}::int[], ${moves.map(({ most }) => most)}::int[])
           as d (event_id, item_id, buyer, moved, most) order by event_id, item_id, buyer
    on conflict (event_id, item_id, buyer)
    do update set taken = item_buyer.taken + excluded.taken, most = case when excluded.most > 0 then excluded.most else item_buyer.most end`.execute(
    tx,
  );
}
