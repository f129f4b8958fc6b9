import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';
import { numberList, textList } from '../postgres/lists.ts';
import type { Statement } from '../postgres/pipeline.ts';

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
  /** In hexadecimal, as PostgreSQL reads bytes. */
  secret_hash: string;
  created_at: Date;
  expires_at: Date;
  approved_at: Date | null;
  network: number | null;
}

/** As JSON, for any number of orders: nothing is said faster by us, and read fast enough by the database. */
export const insertOrders = (orders: readonly NewOrderRow[]): Statement => sql`
  insert into ticket_order (event_id, id, status, app_category_id, session_id, passkey_id, buyer_name, buyer_email, buyer_document, total,
                            currency, secret_hash, created_at, expires_at, approved_at, network)
  select * from json_to_recordset(${JSON.stringify(orders)}) as o (
    event_id bigint, id bigint, status text, app_category_id int, session_id bigint, passkey_id bigint, buyer_name text, buyer_email text,
    buyer_document text, total bigint, currency text, secret_hash bytea, created_at timestamptz, expires_at timestamptz,
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

/** The check of the table is the last to judge: more than was sold cannot be refunded. */
export const moveRefunded = (
  { event_id: eventId, id: orderId }: { event_id: number; id: number },
  lines: readonly { itemId: number; quantity: number }[],
  restock: boolean,
): Statement => sql`
  update order_line l set refunded = l.refunded + d.quantity, restocked = l.restocked + case when ${restock} then d.quantity else 0 end
    from unnest(${lines.map(({ itemId }) => itemId)}::bigint[], ${lines.map(({ quantity }) => quantity)}::int[]) as d (item_id, quantity)
   where l.event_id = ${eventId} and l.order_id = ${orderId} and l.item_id = d.item_id`;

export interface BuyerKey {
  eventId: number;
  itemId: number;
  /** A hash, in hexadecimal. */
  buyer: string;
}

export interface TakenRow {
  itemId: number;
  buyer: string;
  taken: number;
}

/** Rows of keys, said in one text for each column: for hundreds of keys nothing is quicker on both sides. */
const keyColumns = (keys: readonly BuyerKey[]) => sql`
  ${numberList(keys.map(({ eventId }) => eventId))}::bigint[], ${numberList(keys.map(({ itemId }) => itemId))}::bigint[],
  ${textList(keys.map(({ buyer }) => buyer))}::text[]`;

/** How many of these items these buyers have. The lock of the item guards the count. */
export const takenBy = (keys: readonly BuyerKey[]): RawBuilder<TakenRow> => sql<TakenRow>`
  select b.item_id as "itemId", asked.buyer, b.taken
    from unnest(${keyColumns(keys)}) as asked (event_id, item_id, buyer)
    join item_buyer b on b.event_id = asked.event_id and b.item_id = asked.item_id and b.buyer = decode(asked.buyer, 'hex')`;

/** The check of the table is the last to judge: what would pass the limit of a buyer fails here. */
export const moveTaken = (moves: readonly (BuyerKey & { by: number; most: number | null })[]): Statement => sql`
    insert into item_buyer (event_id, item_id, buyer, taken, most)
    select event_id, item_id, decode(buyer, 'hex'), moved, coalesce(most, 0)
      from unnest(${keyColumns(moves)}, ${numberList(moves.map(({ by }) => by))}::int[], ${numberList(moves.map(({ most }) => most))}::int[])
           as d (event_id, item_id, buyer, moved, most) order by 1, 2, 3
    on conflict (event_id, item_id, buyer)
    do update set taken = item_buyer.taken + excluded.taken, most = case when excluded.most > 0 then excluded.most else item_buyer.most end`;

/** Counts off what a buyer no longer has, where it was counted. */
export const giveBackTaken = (moves: readonly (BuyerKey & { by: number })[]): Statement => sql`
  update item_buyer b set taken = greatest(0, b.taken - d.gone)
    from (select event_id, item_id, decode(buyer, 'hex') as buyer, sum(gone)::int as gone
            from unnest(${keyColumns(moves)}, ${numberList(moves.map(({ by }) => by))}::int[]) as given (event_id, item_id, buyer, gone)
           group by 1, 2, 3) d
   where b.event_id = d.event_id and b.item_id = d.item_id and b.buyer = d.buyer`;

/** A count of nothing says no more than that somebody was here. */
export async function forgetBuyers(tx: Tx, eventId: number, itemIds: readonly number[], buyers: readonly string[]): Promise<void> {
  await sql`
    delete from item_buyer
     where event_id = ${eventId} and item_id = any(${itemIds}) and taken = 0
       and buyer in (select decode(hash, 'hex') from unnest(${buyers}::text[]) as hash)`.execute(tx);
}
