import { sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';

export interface SheetEventRow {
  id: number;
  title: string;
  link: string;
  category: string;
  timezone: string;
  status: string;
  doors_open: number | null;
  venue_name: string | null;
  venue_street: string | null;
  venue_city: string | null;
  venue_state: string | null;
  venue_lat: number | null;
  venue_lng: number | null;
}

export async function selectSheetEvent(tx: Tx, eventId: number): Promise<SheetEventRow> {
  const { rows } = await sql<SheetEventRow>`
    select e.id, e.title, e.link, c.slug as category, e.timezone, e.status, e.doors_open, e.venue_name, e.venue_street, e.venue_city,
           e.venue_state, e.venue_lat, e.venue_lng
      from event e join category c on c.id = e.category_id where e.id = ${eventId}`.execute(tx);
  return rows[0] as SheetEventRow;
}

export interface SheetSessionRow {
  id: number;
  name: string;
  startsAt: Date;
  finishesAt: Date;
}

export async function selectSheetSessions(tx: Tx, eventId: number, ids: readonly number[]): Promise<SheetSessionRow[]> {
  const { rows } = await sql<SheetSessionRow>`
    select id, name, starts_at as "startsAt", finishes_at as "finishesAt"
      from event_session where event_id = ${eventId} and id = any(${ids}) order by starts_at, id`.execute(tx);
  return rows;
}
