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

export interface ItemWithGroup {
  id: number;
  name: string;
  group: string | null;
}

export async function selectItemsWithGroup(tx: Tx, eventId: number, ids: readonly number[]): Promise<ItemWithGroup[]> {
  const { rows } = await sql<ItemWithGroup>`
    select i.id, i.name, g.name as "group"
      from item i left join item g on g.event_id = i.event_id and g.id = i.parent_id
     where i.event_id = ${eventId} and i.id = any(${ids})`.execute(tx);
  return rows;
}
