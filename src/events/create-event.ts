import { getProducer } from '../accounts/producers.ts';
import type { Act } from '../kernel/act.ts';
import { Problem, ruleViolation } from '../kernel/problem.ts';
import { isTimeZone } from '../kernel/wall-clock.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { executeAll } from '../postgres/pipeline.ts';
import { requireCategory } from './categories.ts';
import { plainTextOf, sanitise } from './description.ts';
import type { EventChanges, NewEvent, NewVenue } from './event-schemas.ts';
import {
  claimLink,
  type EventRow,
  insertDoor,
  insertEvent,
  insertTicketLog,
  knowsTimeZone,
  nextEventId,
  selectEventAttributes,
  selectLinksLike,
  upsertEventAttribute,
} from './events.sql.ts';
import { lockEvent } from './lock-event.ts';
import { checkNewPoster } from './poster.ts';
import { freeSlug, slugOf } from './slug.ts';

/** A new event is a draft, in the currency of its producer. */
export async function createEvent(tx: Tx, act: Act, event: NewEvent): Promise<number> {
  const {
    producerId,
    title,
    timezone,
    poster = null,
    saleEnabled = true,
    withdrawalDays,
    maximumPerOrder,
    challenge,
    disputedTickets,
    reentry,
    waitingList,
    waitingListHours,
  } = event;
  checkNewPoster(poster);
  const producer = await getProducer(tx, act, producerId);
  const description = sanitise(event.description ?? '');
  const categoryId = await requireKnownCategory(tx, event.category);
  await requireTimeZone(tx, timezone);
  const id = await nextEventId(tx);
  const link = event.link ?? (await claimFreeLink(tx, id, slugOf(title)));
  if (event.link !== undefined) await requireLink(tx, id, event.link);
  await insertEvent(tx, {
    id,
    producer_id: producerId,
    category_id: categoryId,
    title,
    link,
    description,
    description_text: plainTextOf(description),
    status: 'draft',
    sale_enabled: saleEnabled,
    poster,
    timezone,
    currency: producer.currency,
    ...(withdrawalDays !== undefined && { withdrawal_days: withdrawalDays }),
    ...(maximumPerOrder !== undefined && { maximum_per_order: maximumPerOrder }),
    ...(challenge !== undefined && { challenge }),
    ...(disputedTickets !== undefined && { disputed_tickets: disputedTickets }),
    ...(reentry !== undefined && { reentry }),
    ...(waitingList !== undefined && { waiting_list: waitingList }),
    ...(waitingListHours !== undefined && { waiting_list_hours: waitingListHours }),
    ...pageColumns(event),
    ...venueColumns(event.venue ?? null),
    created_at: act.at,
    updated_at: act.at,
  });
  await executeAll(tx, [insertDoor(id), insertTicketLog(id)]);
  await record(tx, act, { subject: 'event', id, producerId, eventId: id, after: { ...event, link, description, status: 'draft' } });
  return id;
}

export interface EventCopy {
  title?: string;
  link?: string;
}

/** Copies an event, without its sessions, as a draft of the same producer. Returns both, locked. The poster is shared. */
export async function copyEvent(tx: Tx, act: Act, id: number, { title, link }: EventCopy): Promise<{ source: EventRow; copy: EventRow }> {
  const source = await lockEvent(tx, id);
  const newId = await nextEventId(tx);
  const newTitle = title ?? source.title;
  const newLink = link ?? (await claimFreeLink(tx, newId, slugOf(newTitle)));
  if (link !== undefined) await requireLink(tx, newId, link);
  const { starts_at: _start, finishes_at: _finish, ...columns } = source;
  await insertEvent(tx, {
    ...columns,
    id: newId,
    title: newTitle,
    link: newLink,
    status: 'draft',
    faq: JSON.stringify(source.faq),
    description_text: plainTextOf(source.description),
    created_at: act.at,
    updated_at: act.at,
  });
  await executeAll(tx, [insertDoor(newId), insertTicketLog(newId)]);
  for (const { key, value } of await selectEventAttributes(tx, id)) await upsertEventAttribute(tx, newId, key, value);
  return { source, copy: await lockEvent(tx, newId) };
}

/** Claims the slug, or the slug with a number if another event has the slug. */
async function claimFreeLink(tx: Tx, id: number, slug: string): Promise<string> {
  let link = slug;
  while (!(await claimLink(tx, id, link))) link = freeSlug(slug, await selectLinksLike(tx, slug));
  return link;
}

export async function requireLink(tx: Tx, id: number, link: string): Promise<void> {
  if (!(await claimLink(tx, id, link)))
    throw new Problem('already_exists', `The link ${link} belongs to another event. Choose another one.`);
}

export const requireKnownCategory = (tx: Tx, slug: string): Promise<number> =>
  requireCategory(tx, slug, () =>
    ruleViolation('category', 'unknown', `There is no category ${slug}. GET /categories lists the categories.`),
  );

/**
 * Both this process and PostgreSQL must know the zone, because their lists differ. If one event had a zone that PostgreSQL lacks, searches
 * by day would fail for all events.
 */
export async function requireTimeZone(tx: Tx, timezone: string): Promise<void> {
  if (knownZones.has(timezone)) return;
  if (!isTimeZone(timezone) || !(await knowsTimeZone(tx, timezone))) {
    throw ruleViolation('timezone', 'unknown', `${timezone} is not a known IANA time zone, e.g. America/Sao_Paulo`);
  }
  knownZones.add(timezone);
}

/** A cache of valid time zones, because PostgreSQL looks up a zone slowly. There are only a few hundred zones. */
const knownZones = new Set<string>();

/** The columns of texts that only the event page shows. Fields that were not sent have no column here. */
export function pageColumns({ subtitle, doorsOpen, ageRating, faq, accessibility }: EventChanges) {
  return {
    ...(subtitle !== undefined && { subtitle }),
    ...(doorsOpen !== undefined && { doors_open: doorsOpen }),
    ...(ageRating !== undefined && { age_rating: ageRating }),
    ...(faq !== undefined && { faq: JSON.stringify(faq) }),
    ...(accessibility !== undefined && { accessibility }),
  };
}

export function venueColumns(venue: NewVenue | null) {
  return {
    venue_name: venue?.name ?? null,
    venue_street: venue?.street ?? null,
    venue_city: venue?.city ?? null,
    venue_state: venue?.state?.toUpperCase() ?? null,
    venue_country: venue?.country?.toUpperCase() ?? null,
    venue_zip: venue?.zip ?? null,
    venue_lat: venue?.location?.lat ?? null,
    venue_lng: venue?.location?.lng ?? null,
  };
}
