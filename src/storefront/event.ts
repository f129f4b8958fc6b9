import { webShop } from '../catalog/item.ts';
import { combineStatuses } from '../catalog/sale-status.ts';
import { type LiveItems, readLiveItems } from '../catalog/visible-items.ts';
import { doorsOpenAt } from '../events/doors.ts';
import { type Event, eventFieldNames, type Session } from '../events/event-schemas.ts';
import type { ReadEvent } from '../events/read-event.ts';
import { identifyEvent, requireReadableEvent } from '../events/require-readable-event.ts';
import type { Act } from '../kernel/act.ts';
import { pickFields, readFields } from '../kernel/fields.ts';
import { describeImage } from '../kernel/picture.ts';
import { Problem } from '../kernel/problem.ts';
import { toWallClock } from '../kernel/wall-clock.ts';
import type { Tx } from '../postgres/database.ts';
import type { EventPart } from './contract.ts';
import { type EventRow, type SessionRow, selectEvents, selectSessions } from './events.sql.ts';

/** Hidden items do not affect the status of a session, so no passkey items are included. */
const noPasskeyItems: ReadonlySet<number> = new Set();

interface DescribeOptions {
  /** Sessions have the statuses that they would have if the event were published. */
  asPublished?: boolean;
  /** The items of the events, if the caller has read them. */
  items?: LiveItems;
}

/** Returns these fields of the events, in the order of the ids. Sessions and their items are read only if sessions are returned. */
export async function describeEvents(
  tx: Tx,
  ids: readonly number[],
  at: Date,
  fields: ReadonlySet<string>,
  { asPublished = false, items: known }: DescribeOptions = {},
): Promise<EventPart[]> {
  if (ids.length === 0) return [];
  const rows = await selectEvents(tx, ids);
  const sessions = fields.has('sessions') ? await selectSessions(tx, ids) : [];
  const items = fields.has('sessions') ? (known ?? (await readLiveItems(tx, ids))).visible(noPasskeyItems) : [];
  return rows.map((row) => {
    const ofEvent = items.filter(({ eventId }) => eventId === row.id);
    const statusOf = (session: number) =>
      combineStatuses(
        ofEvent
          .filter(({ sessionIds }) => sessionIds.length === 0 || sessionIds.includes(session))
          .map((item) => item.status({ at, channel: webShop, session, asPublished })),
      );
    const sessionsOfEvent = sessions.filter(({ event_id }) => event_id === row.id);
    return pickFields(describe(row, sessionsOfEvent, statusOf), fields);
  });
}

const wholeEvent: ReadonlySet<string> = new Set(eventFieldNames);

export async function describeEvent(tx: Tx, { at }: Act, id: number, options: DescribeOptions = {}): Promise<Event> {
  const [event] = await describeEvents(tx, [id], at, wholeEvent, options);
  if (!event) throw new Problem('not_found');
  return event as Event;
}

export async function getEvent(tx: Tx, act: Act, id: number, fields: string | undefined): Promise<EventPart> {
  const picked = readFields(fields, eventFieldNames);
  await requireReadableEvent(tx, act.actor, id);
  const [event] = await describeEvents(tx, [id], act.at, picked);
  return event ?? {};
}

export async function identify(tx: Tx, act: Act, link: string | undefined, fields: string | undefined): Promise<EventPart> {
  if (link === undefined) {
    const message = 'is required with method=identify: send the slug or id of an event';
    throw new Problem('invalid_input', `link ${message}`, { errors: [{ in: 'query', field: 'link', code: 'required', message }] });
  }
  return getEvent(tx, act, await identifyEvent(tx, link), fields);
}

async function describeSession(tx: Tx, act: Act, eventId: number, sessionId: number): Promise<Session> {
  const session = (await describeEvent(tx, act, eventId)).sessions.find(({ id }) => id === sessionId);
  if (!session) throw new Problem('not_found');
  return session;
}

export const readEvent: ReadEvent = { event: (tx, act, id) => describeEvent(tx, act, id), session: describeSession };

function describe(row: EventRow, sessions: readonly SessionRow[], statusOf: (session: number) => Session['status']): Event {
  const { id, title, link, description, category, status, timezone, currency } = row;
  const poster = describeImage(row.poster, row.picture);
  const inEventTime = (instant: Date | null) => instant && toWallClock(instant, timezone);
  return {
    id,
    title,
    subtitle: row.subtitle,
    link,
    description,
    doorsOpen: row.doors_open,
    ageRating: row.age_rating,
    faq: row.faq.map(({ question, answer }) => ({ question, answer })),
    accessibility: row.accessibility,
    category,
    status,
    saleEnabled: row.sale_enabled,
    poster: poster.address,
    picture: poster.picture,
    timezone,
    currency,
    withdrawalDays: row.withdrawal_days,
    maximumPerOrder: row.maximum_per_order,
    challenge: row.challenge,
    disputedTickets: row.disputed_tickets,
    reentry: row.reentry,
    waitingList: row.waiting_list,
    waitingListHours: row.waiting_list_hours,
    producer: { id: row.producer_id, name: row.producer_name },
    venue: describeVenue(row),
    start: inEventTime(row.starts_at),
    finish: inEventTime(row.finishes_at),
    sessions: sessions.map((session) => ({
      id: session.id,
      name: session.name,
      start: toWallClock(session.starts_at, timezone),
      finish: toWallClock(session.finishes_at, timezone),
      doorsOpenAt: inEventTime(doorsOpenAt(session.starts_at, row.doors_open)),
      capacity: session.capacity,
      status: statusOf(session.id),
    })),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

function describeVenue(row: EventRow): Event['venue'] {
  if (row.venue_name === null) return null;
  return {
    name: row.venue_name,
    street: row.venue_street,
    city: row.venue_city,
    state: row.venue_state,
    country: row.venue_country,
    zip: row.venue_zip,
    location: row.venue_lat === null || row.venue_lng === null ? null : { lat: row.venue_lat, lng: row.venue_lng },
  };
}
