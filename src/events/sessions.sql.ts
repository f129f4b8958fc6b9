import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Tx } from '../postgres/database.ts';
import type { Statement } from '../postgres/pipeline.ts';
import type { Schema } from '../postgres/schema.ts';

export type SessionRow = Selectable<Schema['event_session']>;

export async function insertSession(tx: Tx, session: Insertable<Schema['event_session']>): Promise<number> {
  const { id } = await tx.insertInto('event_session').values(session).returning('id').executeTakeFirstOrThrow();
  return id;
}

export async function selectSessionIds(tx: Tx, eventId: number): Promise<number[]> {
  const sessions = await tx.selectFrom('event_session').select('id').where('event_id', '=', eventId).execute();
  return sessions.map(({ id }) => id);
}

export async function selectSessionForUpdate(tx: Tx, eventId: number, id: number): Promise<SessionRow | undefined> {
  return tx.selectFrom('event_session').selectAll().where('event_id', '=', eventId).where('id', '=', id).forUpdate().executeTakeFirst();
}

export async function updateSessionRow(tx: Tx, id: number, changes: Updateable<Schema['event_session']>): Promise<void> {
  await tx.updateTable('event_session').set(changes).where('id', '=', id).execute();
}

export async function deleteSessionRow(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('event_session').where('id', '=', id).execute();
}

/** Sets the dates of the event: it starts with its first session and finishes with its last session. */
export async function updateEventDates(tx: Tx, eventId: number, at: Date): Promise<void> {
  await sql`
    update event set updated_at = ${at},
           starts_at = (select min(starts_at) from event_session where event_id = ${eventId}),
           finishes_at = (select max(finishes_at) from event_session where event_id = ${eventId})
     where id = ${eventId}`.execute(tx);
}

export const updateSessionCounters = (moves: readonly { id: number; sold: number; held: number }[]): Statement => sql`
  update event_session set sold = event_session.sold + d.sold, held = event_session.held + d.held
    from unnest(${moves.map(({ id }) => id)}::bigint[], ${moves.map(({ sold }) => sold)}::int[], ${moves.map(({ held }) => held)}::int[])
         as d (id, sold, held)
   where event_session.id = d.id`;
