import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Tx } from '../postgres/database.ts';
import { inEvent } from '../postgres/in-event.ts';
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

export async function selectSessions(tx: Tx, eventId: number): Promise<SessionRow[]> {
  return tx.selectFrom('event_session').selectAll().where('event_id', '=', eventId).orderBy('starts_at').orderBy('id').execute();
}

export async function selectSessionForUpdate(tx: Tx, eventId: number, id: number): Promise<SessionRow | undefined> {
  return tx.selectFrom('event_session').selectAll().where('event_id', '=', eventId).where('id', '=', id).forUpdate().executeTakeFirst();
}

export async function updateSessionRow(tx: Tx, eventId: number, id: number, changes: Updateable<Schema['event_session']>): Promise<void> {
  await tx.updateTable('event_session').set(changes).where('event_id', '=', eventId).where('id', '=', id).execute();
}

export async function deleteSessionRow(tx: Tx, eventId: number, id: number): Promise<void> {
  await tx.deleteFrom('event_session').where('event_id', '=', eventId).where('id', '=', id).execute();
}

export interface EventDates {
  starts_at: Date | null;
  finishes_at: Date | null;
}

/** An event starts with its first session and finishes with its last session. */
export async function selectSessionDates(tx: Tx, eventId: number): Promise<EventDates> {
  const { rows } = await sql<EventDates>`
    select min(starts_at) as starts_at, max(finishes_at) as finishes_at from event_session where event_id = ${eventId}`.execute(tx);
  return rows[0] as EventDates;
}

export async function updateEventDates(tx: Tx, eventId: number, { starts_at, finishes_at }: EventDates, at: Date): Promise<void> {
  await sql`update event set updated_at = ${at}, starts_at = ${starts_at}, finishes_at = ${finishes_at} where id = ${eventId}`.execute(tx);
}

export interface SessionMove {
  eventId: number;
  id: number;
  sold: number;
  held: number;
}

export function updateSessionCounters(moves: readonly SessionMove[]): Statement {
  const eventIds = moves.map(({ eventId }) => eventId);
  return sql`
    update event_session s set sold = s.sold + d.sold, held = s.held + d.held
      from unnest(${eventIds}::bigint[], ${moves.map(({ id }) => id)}::bigint[], ${moves.map(({ sold }) => sold)}::int[],
                  ${moves.map(({ held }) => held)}::int[]) as d (event_id, id, sold, held)
     where ${inEvent(sql`s.event_id`, eventIds)} and s.event_id = d.event_id and s.id = d.id`;
}
