import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Tx } from '../postgres/database.ts';
import type { Statement } from '../postgres/pipeline.ts';
import type { Schema } from '../postgres/schema.ts';

export type EventRow = Omit<Selectable<Schema['event']>, 'description_text'>;

export async function nextEventId(tx: Tx): Promise<number> {
  const { rows } = await sql<{ id: number }>`select nextval('event_id') as id`.execute(tx);
  return (rows[0] as { id: number }).id;
}

export async function insertEvent(tx: Tx, event: Insertable<Schema['event']>): Promise<void> {
  await tx.insertInto('event').values(event).execute();
}

export const insertDoor = (eventId: number): Statement => sql`insert into door (event_id) values (${eventId})`;

export const insertTicketLog = (eventId: number): Statement => sql`insert into ticket_log (event_id) values (${eventId})`;

export async function updateEventRow(tx: Tx, id: number, changes: Updateable<Schema['event']>): Promise<void> {
  await tx.updateTable('event').set(changes).where('id', '=', id).execute();
}

export async function eventExists(tx: Tx, id: number): Promise<boolean> {
  return (await tx.selectFrom('event').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;
}

/** The columns that decide who may read the event. */
export async function selectReadAccess(tx: Tx, id: number) {
  return tx.selectFrom('event').select(['status', 'producer_id']).where('id', '=', id).executeTakeFirst();
}

export const lockDoorRow = (eventId: number): Statement => sql`select from door where event_id = ${eventId} for no key update`;

export const increaseCodesDeleted = (eventId: number): Statement =>
  sql`update door set codes_deleted = codes_deleted + 1 where event_id = ${eventId}`;

export async function selectEventForUpdate(tx: Tx, id: number): Promise<EventRow | undefined> {
  return tx
    .selectFrom('event')
    .select([
      'id',
      'producer_id',
      'category_id',
      'title',
      'subtitle',
      'link',
      'description',
      'doors_open',
      'age_rating',
      'faq',
      'accessibility',
      'status',
      'sale_enabled',
      'poster',
      'picture_id',
      'timezone',
      'currency',
      'withdrawal_days',
      'maximum_per_order',
      'challenge',
      'disputed_tickets',
      'reentry',
      'waiting_list',
      'waiting_list_hours',
    ])
    .select(['venue_name', 'venue_street', 'venue_city', 'venue_state', 'venue_country', 'venue_zip', 'venue_lat', 'venue_lng'])
    .select(['starts_at', 'finishes_at', 'created_at', 'updated_at'])
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

export interface EventFacts {
  sale_enabled: boolean;
  finishes_at: Date | null;
  has_description: boolean;
  has_poster: boolean;
  has_venue: boolean;
  /** Whether the producer has an account of its own at a payment provider. */
  has_payout: boolean;
}

export async function selectEventFacts(tx: Tx, id: number): Promise<EventFacts | undefined> {
  const { rows } = await sql<EventFacts>`
    select e.sale_enabled, e.finishes_at, e.description_text <> '' as has_description,
           num_nonnulls(e.poster, e.picture_id) > 0 as has_poster, e.venue_name is not null as has_venue,
           p.payout_account is not null as has_payout
      from event e join producer p on p.id = e.producer_id where e.id = ${id}`.execute(tx);
  return rows[0];
}

/** `planned`: the event has sessions or items, whose times are in its time zone. `sold`: tickets are sold or held. */
export async function selectEventUse(tx: Tx, id: number): Promise<{ planned: boolean; sold: boolean }> {
  const { rows } = await sql<{ planned: boolean; sold: boolean }>`
    select exists (select 1 from event_session where event_id = ${id}) or exists (select 1 from item where event_id = ${id}) as planned,
           exists (select 1 from item where event_id = ${id} and sold + held > 0) as sold`.execute(tx);
  return rows[0] ?? { planned: false, sold: false };
}

export async function knowsTimeZone(tx: Tx, zone: string): Promise<boolean> {
  const { rows } = await sql<{ known: boolean }>`
    select exists (select 1 from pg_timezone_names where lower(name) = lower(${zone})) as known`.execute(tx);
  return rows[0]?.known === true;
}

/** Returns true if the link was free or already belongs to this event. */
export async function claimLink(tx: Tx, eventId: number, link: string): Promise<boolean> {
  const { rows } = await sql<{ event_id: number }>`
    insert into event_link (link, event_id) values (${link}, ${eventId})
    on conflict (link) do update set event_id = event_link.event_id returning event_id`.execute(tx);
  return rows[0]?.event_id === eventId;
}

/** Returns the existing links that equal `slug` or start with `slug-` and a digit. */
export async function selectLinksLike(tx: Tx, slug: string): Promise<Set<string>> {
  const links = await tx.selectFrom('event_link').select('link').where('link', '>=', slug).where('link', '<', `${slug}-:`).execute();
  return new Set(links.map(({ link }) => link));
}

export async function selectEventIdByLink(tx: Tx, link: string): Promise<number | undefined> {
  return (await tx.selectFrom('event_link').select('event_id').where('link', '=', link).executeTakeFirst())?.event_id;
}

export async function selectEventAttributes(tx: Tx, eventId: number) {
  return tx.selectFrom('event_attribute').select(['key', 'value']).where('event_id', '=', eventId).orderBy('key').execute();
}

export async function upsertEventAttribute(tx: Tx, eventId: number, key: string, value: unknown): Promise<void> {
  const text = JSON.stringify(value);
  await tx
    .insertInto('event_attribute')
    .values({ event_id: eventId, key, value: text })
    .onConflict((conflict) => conflict.columns(['event_id', 'key']).doUpdateSet({ value: text }))
    .execute();
}

export async function deleteEventAttributes(tx: Tx, eventId: number, keys: readonly string[]): Promise<void> {
  await tx
    .deleteFrom('event_attribute')
    .where('event_id', '=', eventId)
    .where('key', 'in', [...keys])
    .execute();
}

/** Whether guests were scanned as they left, undone scans excepted. */
export async function hasExits(tx: Tx, eventId: number): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select 1 from checkin where event_id = ${eventId} and state in ('exited', 'unmatched')) as found`.execute(tx);
  return rows[0]?.found ?? false;
}
