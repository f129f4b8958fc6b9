import { eventFieldNames } from '../events/contract.ts';
import type { Act } from '../kernel/act.ts';
import { readFields } from '../kernel/fields.ts';
import { Problem, ruleViolation } from '../kernel/problem.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import type { EventPart } from '../storefront/contract.ts';
import { describeEvents } from '../storefront/event.ts';
import type { Banner, FeaturedBody, FeaturedEntry } from './contract.ts';
import {
  deleteFeaturedRow,
  type FeaturedRow,
  insertFeatured,
  selectBanners,
  selectFeatured,
  selectFeaturedEventIds,
  selectFeaturedForUpdate,
  updateFeaturedRow,
} from './home.sql.ts';
import { requirePublished } from './require-published.ts';

/** The number of entries is limited, because the list has no pages. */
const maxFeatured = 100;

export interface FeaturedQuery {
  method?: 'events' | 'banner';
  state?: string;
  fields?: string;
}

export async function getFeatured(tx: Tx, { at }: Act, { method, state, fields }: FeaturedQuery): Promise<(EventPart | Banner)[]> {
  const picked = readFields(fields, eventFieldNames);
  const inState = state?.toUpperCase() ?? null;
  if (method === 'banner') {
    const banners = await selectBanners(tx, inState, at);
    return banners.map(({ image, target, event_id }) => ({ image, target, eventId: event_id }));
  }
  return describeEvents(tx, await selectFeaturedEventIds(tx, inState, at), at, picked);
}

export async function listFeatured(tx: Tx): Promise<FeaturedEntry[]> {
  return (await selectFeatured(tx)).map(toEntry);
}

export async function createFeatured(tx: Tx, act: Act, entry: FeaturedBody): Promise<FeaturedEntry> {
  const { position = 0, eventId = null, image = null, target = null, state = null } = entry;
  if ((await selectFeatured(tx)).length >= maxFeatured)
    throw ruleViolation('', 'limit', `There can be at most ${maxFeatured} featured entries. Delete an entry first.`);
  const row = { position, event_id: eventId, image, target, state: state?.toUpperCase() ?? null };
  requireEventOrImage(row);
  if (eventId !== null) await requirePublished(tx, 'eventId', [eventId]);
  const created = toEntry(await insertFeatured(tx, row));
  await record(tx, act, { subject: 'featured', id: created.id, after: created });
  return created;
}

export async function updateFeatured(tx: Tx, act: Act, id: number, changes: FeaturedBody): Promise<FeaturedEntry> {
  const before = await lockFeatured(tx, id);
  const { position, eventId, image, target, state } = { ...toEntry(before), ...changes };
  const row = { position, event_id: eventId, image, target, state: state?.toUpperCase() ?? null };
  requireEventOrImage(row);
  // Only a new event must be published. So an entry can still be edited after its event was cancelled.
  if (changes.eventId) await requirePublished(tx, 'eventId', [changes.eventId]);
  const after = toEntry(await updateFeaturedRow(tx, id, row));
  await record(tx, act, { subject: 'featured', id, before: toEntry(before), after });
  return after;
}

export async function deleteFeatured(tx: Tx, act: Act, id: number): Promise<void> {
  const before = await lockFeatured(tx, id);
  await deleteFeaturedRow(tx, id);
  await record(tx, act, { subject: 'featured', id, before: toEntry(before) });
}

function requireEventOrImage({ event_id, image }: Omit<FeaturedRow, 'id'>): void {
  if (event_id === null && image === null) throw ruleViolation('eventId', 'required', 'Send eventId, image or both.');
}

async function lockFeatured(tx: Tx, id: number): Promise<FeaturedRow> {
  const row = await selectFeaturedForUpdate(tx, id);
  if (!row) throw new Problem('not_found');
  return row;
}

function toEntry({ id, position, event_id, image, target, state }: FeaturedRow): FeaturedEntry {
  return { id, position, image, target, eventId: event_id, state };
}
