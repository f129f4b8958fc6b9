import { sql } from 'kysely';
import type { RowKey } from '../kernel/ids-by-event.ts';
import type { Tx } from '../postgres/database.ts';

export interface OldUnpaidOrder {
  id: number;
  event_id: number;
  buyer_email: string;
  buyer_document: string | null;
  item_ids: number[];
}

/** The condition must match the partial index `ticket_order_to_anonymize`, so that PostgreSQL can use the index. */
const isOldAndUnpaid = (before: Date) =>
  sql`o.status in ('expired', 'cancelled') and o.buyer_email is not null and o.closed_at < ${before}`;

export async function countOldUnpaidOrders(tx: Tx, before: Date): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    /* all events */ select count(*) as n from ticket_order o where ${isOldAndUnpaid(before)}`.execute(tx);
  return rows[0]?.n ?? 0;
}

export async function selectOldUnpaidOrders(tx: Tx, before: Date, limit: number): Promise<RowKey[]> {
  const { rows } = await sql<RowKey>`
    /* all events */ select o.event_id as "eventId", o.id from ticket_order o
     where ${isOldAndUnpaid(before)} order by o.closed_at limit ${limit}`.execute(tx);
  return rows;
}

/**
 * Locks orders of one event. Skips orders that another transaction has locked, anonymized or approved after a late payment. `|| ''` keeps the
 * planner from using the index on all orders to anonymize.
 */
export async function lockUnpaidOrders(tx: Tx, eventId: number, ids: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select o.id from ticket_order o
     where o.event_id = ${eventId} and o.id = any(${ids}::bigint[]) and o.status || '' in ('expired', 'cancelled')
       and o.buyer_email is not null
     order by o.id for update skip locked`.execute(tx);
  return rows.map(({ id }) => id);
}

export async function selectUnpaidOrders(tx: Tx, eventId: number, ids: readonly number[]): Promise<OldUnpaidOrder[]> {
  const { rows } = await sql<OldUnpaidOrder>`
    select o.id, o.event_id, o.buyer_email, o.buyer_document,
           array(select item_id from order_line l where l.event_id = o.event_id and l.order_id = o.id) as item_ids
      from ticket_order o where o.event_id = ${eventId} and o.id = any(${ids}::bigint[]) order by o.id`.execute(tx);
  return rows;
}
