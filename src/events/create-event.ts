import type { Act } from '../kernel/act.ts';
import { ruleViolation } from '../kernel/problem.ts';
import { isTimeZone, toInstant } from '../kernel/wall-clock.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { insertCategory, insertEvent, insertSession, upsertEventAttribute } from './events.sql.ts';

export interface NewCategory {
  slug: string;
  name: string;
  position: number;
}

export async function createCategory(tx: Tx, act: Act, category: NewCategory): Promise<number> {
  const id = await insertCategory(tx, category);
  await record(tx, act, { subject: 'category', id, after: category });
  return id;
}

export interface Venue {
  name: string;
  street?: string;
  city: string;
  state: string;
  country: string;
  zip?: string;
  location?: { lat: number; lng: number };
}

export interface NewEvent {
  producerId: number;
  categoryId: number;
  title: string;
  link: string;
  description: string;
  status: 'draft' | 'published' | 'private' | 'cancelled';
  timezone: string;
  currency: string;
  venue: Venue;
  attributes?: Record<string, string | number | boolean>;
}

export async function createEvent(tx: Tx, act: Act, event: NewEvent): Promise<number> {
  if (!isTimeZone(event.timezone)) throw ruleViolation('timezone', 'unknown', `${event.timezone} is not a time zone`);
  const { venue } = event;
  const id = await insertEvent(tx, {
    producer_id: event.producerId,
    category_id: event.categoryId,
    title: event.title,
    link: event.link,
    description: event.description,
    status: event.status,
    sale_enabled: true,
    poster: null,
    timezone: event.timezone,
    currency: event.currency,
    venue_name: venue.name,
    venue_street: venue.street ?? null,
    venue_city: venue.city,
    venue_state: venue.state,
    venue_country: venue.country,
    venue_zip: venue.zip ?? null,
    venue_lat: venue.location?.lat ?? null,
    venue_lng: venue.location?.lng ?? null,
    created_at: act.at,
    updated_at: act.at,
  });
  for (const [key, value] of Object.entries(event.attributes ?? {})) await upsertEventAttribute(tx, id, key, value);
  await record(tx, act, { subject: 'event', id, producerId: event.producerId, eventId: id, after: event });
  return id;
}

export interface NewSession {
  name: string;
  /** On the wall at the event. */
  start: string;
  finish: string;
  capacity: number | null;
}

export async function createSession(tx: Tx, act: Act, eventId: number, timezone: string, session: NewSession): Promise<number> {
  const startsAt = toInstant(session.start, timezone);
  const finishesAt = toInstant(session.finish, timezone);
  if (!startsAt) throw ruleViolation('start', 'no_such_time', `${session.start} does not exist in ${timezone}`);
  if (!finishesAt) throw ruleViolation('finish', 'no_such_time', `${session.finish} does not exist in ${timezone}`);
  if (startsAt >= finishesAt) throw ruleViolation('finish', 'order', 'A session finishes after it starts');
  const { name, capacity } = session;
  const id = await insertSession(tx, { event_id: eventId, name, starts_at: startsAt, finishes_at: finishesAt, capacity });
  await record(tx, act, { subject: 'session', id, eventId, after: session });
  return id;
}
