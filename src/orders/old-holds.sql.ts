import { sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';
import type { Statement } from '../postgres/pipeline.ts';
import type { BuyerKey } from './order-writes.sql.ts';

export interface OldHold {
  id: number;
  event_id: number;
  buyer_email: string;
  buyer_document: string | null;
  item_ids: number[];
}

/** As in the index `ticket_order_to_anonymize`. */
const old = (before: Date) => sql`o.status in ('expired', 'cancelled') and o.buyer_email is not null and o.closed_at < ${before}`;

export async function countOldHolds(tx: Tx, before: Date): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from ticket_order o where ${old(before)}`.execute(tx);
  return rows[0]?.n ?? 0;
}

export async function lockOldHolds(tx: Tx, before: Date, most: number): Promise<OldHold[]> {
  const { rows } = await sql<OldHold>`
    select o.id, o.event_id, o.buyer_email, o.buyer_document,
           array(select item_id from order_line l where l.event_id = o.event_id and l.order_id = o.id) as item_ids
      from ticket_order o where ${old(before)} order by o.closed_at limit ${most} for update skip locked`.execute(tx);
  return rows;
}

export const eraseBuyers = (ids: readonly number[]): Statement => sql`
  update ticket_order set buyer_name = null, buyer_email = null, buyer_document = null where id = any(${ids})`;

/** A count of nothing says only that somebody was here. One that is not 0 belongs to other orders of the same buyer. */
export const forgetBuyersOf = (keys: readonly BuyerKey[]): Statement => sql`
  delete from item_buyer b
   using json_to_recordset(${JSON.stringify(keys)}) as k ("eventId" bigint, "itemId" bigint, buyer text)
   where b.event_id = k."eventId" and b.item_id = k."itemId" and b.buyer = decode(k.buyer, 'hex') and b.taken = 0`;
