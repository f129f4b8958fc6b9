import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Reach } from '../accounts/roles.ts';
import type { StoredPicture } from '../kernel/picture.ts';
import type { Tx } from '../postgres/database.ts';
import type { Schema } from '../postgres/schema.ts';
import { storedPicture } from '../postgres/stored-picture.ts';

export interface EventRow extends Omit<Selectable<Schema['event']>, 'category_id' | 'description_text' | 'picture_id'> {
  /** The slug of the category. */
  category: string;
  producer_name: string;
  /** The uploaded poster. */
  picture: StoredPicture | null;
}

/** Returns the events in the order of the ids. */
export async function selectEvents(tx: Tx, ids: readonly number[]): Promise<EventRow[]> {
  const { rows } = await sql<EventRow>`
    select e.id, e.title, e.subtitle, e.link, e.description, e.doors_open, e.age_rating, e.faq, e.accessibility, c.slug as category, e.status, e.sale_enabled, e.poster, e.timezone, e.currency,
           e.withdrawal_days, e.maximum_per_order, e.challenge, e.disputed_tickets, e.reentry, e.waiting_list, e.waiting_list_hours,
           e.producer_id, p.name as producer_name, e.venue_name, e.venue_street, e.venue_city, e.venue_state, e.venue_country, e.venue_zip,
           e.venue_lat, e.venue_lng, e.starts_at, e.finishes_at, e.created_at, e.updated_at,
           ${storedPicture('e.picture_id')} as picture
      from unnest(${ids}::bigint[]) with ordinality as asked (id, place) join event e on e.id = asked.id
      join category c on c.id = e.category_id join producer p on p.id = e.producer_id
     order by asked.place`.execute(tx);
  return rows;
}

export type SessionRow = Omit<Selectable<Schema['event_session']>, 'sold' | 'held'>;

/** Returns the sessions of the events in the order of their dates. */
export async function selectSessions(tx: Tx, eventIds: readonly number[]): Promise<SessionRow[]> {
  const { rows } = await sql<SessionRow>`
    select event_id, id, name, starts_at, finishes_at, capacity
      from event_session where event_id = any(${eventIds}::bigint[]) order by event_id, starts_at, id`.execute(tx);
  return rows;
}

export async function sessionExists(tx: Tx, eventId: number, sessionId: number): Promise<boolean> {
  const found = await tx
    .selectFrom('event_session')
    .select('id')
    .where('event_id', '=', eventId)
    .where('id', '=', sessionId)
    .executeTakeFirst();
  return found !== undefined;
}

export interface ManagedEventsFilter {
  reach: Reach;
  producerId: number | undefined;
  status: string | undefined;
  categoryId: number | undefined;
  term: string | undefined;
}

function managedEvents({ reach, producerId, status, categoryId, term }: ManagedEventsFilter): RawBuilder<unknown> {
  const byRole = reach.everything ? sql`true` : sql`(id = any(${reach.eventIds}) or producer_id = any(${reach.producerIds}))`;
  const byToken = reach.only ? sql`id = any(${reach.only})` : sql`true`;
  const ofProducer = producerId === undefined ? sql`true` : sql`producer_id = ${producerId}`;
  const inStatus = status === undefined ? sql`true` : sql`status = ${status}`;
  const inCategory = categoryId === undefined ? sql`true` : sql`category_id = ${categoryId}`;
  const text = sql`concat_ws(' ', title, subtitle, venue_name, venue_city, description_text)`;
  // The console searches while the user types, so the last word is often incomplete.
  const found =
    term === undefined
      ? sql`true`
      : sql`not exists (
          select from unnest(words_of(${term})) typed
          where not exists (select from unnest(words_of(${text})) word where starts_with(word, typed)))`;
  return sql`${byRole} and ${byToken} and ${ofProducer} and ${inStatus} and ${inCategory} and ${found}`;
}

/** Returns the ids of the events, newest first. */
export async function selectManagedEventIds(tx: Tx, filter: ManagedEventsFilter, before: number | null, limit: number): Promise<number[]> {
  const start = before === null ? sql`true` : sql`id < ${before}`;
  const { rows } = await sql<{ id: number }>`
    select id from event where ${start} and ${managedEvents(filter)} order by id desc limit ${limit}`.execute(tx);
  return rows.map(({ id }) => id);
}

export async function countManagedEvents(tx: Tx, filter: ManagedEventsFilter): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from event where ${managedEvents(filter)}`.execute(tx);
  return rows[0]?.n ?? 0;
}
