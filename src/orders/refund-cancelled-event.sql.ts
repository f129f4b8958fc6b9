import { sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';

export async function selectItemIds(tx: Tx, eventId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`select id from item where event_id = ${eventId}`.execute(tx);
  return rows.map(({ id }) => id);
}

export async function countApproved(tx: Tx, eventId: number): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from ticket_order where event_id = ${eventId} and status = 'approved'`.execute(tx);
  return rows[0]?.n ?? 0;
}

/** Returns the ids of approved and held orders above `after`, in primary key order. */
export async function selectOpenOrderIds(tx: Tx, eventId: number, after: number, limit: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from ticket_order
     where event_id = ${eventId} and id > ${after} and status in ('held', 'approved') order by event_id, id limit ${limit}`.execute(tx);
  return rows.map(({ id }) => id);
}
