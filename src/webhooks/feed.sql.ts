import { type Selectable, sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';
import type { Schema } from '../postgres/schema.ts';

export type EntryRow = Selectable<Schema['feed_entry']>;

export async function selectEntries(tx: Tx, producerId: number, after: number, limit: number): Promise<EntryRow[]> {
  return tx
    .selectFrom('feed_entry')
    .selectAll()
    .where('producer_id', '=', producerId)
    .where('position', '>', after)
    .orderBy('position')
    .limit(limit)
    .execute();
}

/** The last position of the feed of all producers. */
export async function selectLastPosition(tx: Tx): Promise<number> {
  const { rows } = await sql<{ position: number | null }>`select max(position) as position from feed_entry`.execute(tx);
  return rows[0]?.position ?? 0;
}

/** The position before the first change since this time. Null if there is none. */
export async function selectPositionBefore(tx: Tx, producerId: number, from: Date): Promise<number | null> {
  const { rows } = await sql<{ position: number | null }>`
    select min(position) - 1 as position from feed_entry where producer_id = ${producerId} and at >= ${from}`.execute(tx);
  return rows[0]?.position ?? null;
}

/** The position of the last of the next `limit` changes. Null if there are none. */
export async function selectChunkEnd(tx: Tx, producerId: number, after: number, limit: number): Promise<number | null> {
  const { rows } = await sql<{ position: number | null }>`
    select max(position) as position from (
      select position from feed_entry where producer_id = ${producerId} and position > ${after} order by position limit ${limit}) chunk`.execute(
    tx,
  );
  return rows[0]?.position ?? null;
}
