import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';

/** Codes that name a holder, of events that ended before this time. In an event without sessions, the time of the import counts. */
const withOldHolder = (before: Date): RawBuilder<unknown> => sql`
  from external_code c join event e on e.id = c.event_id
 where (c.holder_name is not null or c.holder_document is not null) and coalesce(e.finishes_at, c.created_at) < ${before}`;

export async function countOldHolders(tx: Tx, before: Date): Promise<number> {
  const { rows } = await sql<{ n: number }>`/* all events */ select count(*) as n ${withOldHolder(before)}`.execute(tx);
  return rows[0]?.n ?? 0;
}

export interface HoldersOfEvent {
  event_id: number;
  ids: number[];
}

/** Returns up to `limit` codes by event. They are not locked, because a statement can lock only rows of one event. */
export async function selectOldHolders(tx: Tx, before: Date, limit: number): Promise<HoldersOfEvent[]> {
  const { rows } = await sql<HoldersOfEvent>`
    /* all events */ select event_id, array_agg(id) as ids from (select c.event_id, c.id ${withOldHolder(before)} limit ${limit}) old
     group by 1 order by 1`.execute(tx);
  return rows;
}

/** Locks those of the codes that no other transaction has locked, and returns their ids. */
export async function lockHolders(tx: Tx, { event_id, ids }: HoldersOfEvent): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from external_code
     where event_id = ${event_id} and id = any(${ids}::bigint[]) and (holder_name is not null or holder_document is not null)
     order by id for no key update skip locked`.execute(tx);
  return rows.map(({ id }) => id);
}

export async function clearHolders(tx: Tx, eventId: number, ids: readonly number[]): Promise<void> {
  await sql`
    update external_code set holder_name = null, holder_document = null where event_id = ${eventId} and id = any(${ids}::bigint[])`.execute(
    tx,
  );
}
