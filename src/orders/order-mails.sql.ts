import { sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';

export interface EventFacts {
  title: string;
  timezone: string;
  venue_name: string | null;
  venue_city: string | null;
}

export async function selectEventFacts(tx: Tx, eventId: number): Promise<EventFacts> {
  return tx
    .selectFrom('event')
    .select(['title', 'timezone', 'venue_name', 'venue_city'])
    .where('id', '=', eventId)
    .executeTakeFirstOrThrow();
}

export interface SessionFacts {
  id: number;
  name: string;
  starts_at: Date;
}

export async function selectSessionFacts(tx: Tx, eventId: number, ids: readonly number[]): Promise<SessionFacts[]> {
  const { rows } = await sql<SessionFacts>`
    select id, name, starts_at from event_session where event_id = ${eventId} and id = any(${ids}) order by starts_at, id`.execute(tx);
  return rows;
}
