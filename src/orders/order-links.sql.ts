import { sql } from 'kysely';
import type { RowKey } from '../kernel/ids-by-event.ts';
import type { Tx } from '../postgres/database.ts';
import type { OldRows } from '../postgres/delete-old-rows.ts';
import { inEvents } from '../postgres/in-event.ts';
import type { Statement } from '../postgres/pipeline.ts';

export interface OpenLink {
  order_id: number;
  token_hash: Buffer;
}

export async function insertLink(tx: Tx, { eventId, id }: RowKey, tokenHash: Buffer, at: Date): Promise<void> {
  await tx.insertInto('order_link').values({ event_id: eventId, order_id: id, token_hash: tokenHash, created_at: at }).execute();
}

/** Returns those of the links whose event ended after `lastEnd`, or that were created after it. */
export async function selectLinks(tx: Tx, eventIds: readonly number[], tokenHashes: readonly Buffer[], lastEnd: Date): Promise<OpenLink[]> {
  const { rows } = await sql<OpenLink>`
    select l.order_id, l.token_hash from order_link l join event e on e.id = l.event_id
     where ${inEvents(sql`l.event_id`, eventIds)} and l.token_hash = any(${tokenHashes}::bytea[])
       and greatest(e.finishes_at, l.created_at) > ${lastEnd}`.execute(tx);
  return rows;
}

export const deleteLinks = ({ eventId, id }: RowKey): Statement => sql`
  delete from order_link where event_id = ${eventId} and order_id = ${id} returning 1`;

/** Links that were created before this time, of events that ended before it. */
export const linksOfEventsBefore = (before: Date): OldRows => ({
  table: 'order_link',
  where: sql`created_at <= ${before} and exists (
    select 1 from event e where e.id = order_link.event_id and coalesce(e.finishes_at, ${before}) <= ${before})`,
  age: null,
  keyedByEvent: true,
});
