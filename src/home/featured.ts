import { eventFieldNames } from '../events/event-schemas.ts';
import type { Act } from '../kernel/act.ts';
import { readFields } from '../kernel/fields.ts';
import { changesImage, describeImage, describePicture, type Picture, type StoredPicture } from '../kernel/picture.ts';
import { Problem, ruleViolation } from '../kernel/problem.ts';
import { record } from '../platform/audit.ts';
import { releasePicture } from '../platform/pictures/picture-store.ts';
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
const uploadOperation = 'POST /featured/{id}/image';

type FeaturedColumns = Omit<FeaturedRow, 'id' | 'picture'>;

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
    return banners.map(toEntry).map(({ image, picture, target, eventId }) => ({ image, picture, target, eventId }));
  }
  return describeEvents(tx, await selectFeaturedEventIds(tx, inState, at), at, picked);
}

export async function listFeatured(tx: Tx): Promise<FeaturedEntry[]> {
  return (await selectFeatured(tx)).map(toEntry);
}

export async function createFeatured(tx: Tx, act: Act, entry: FeaturedBody): Promise<FeaturedEntry> {
  const { position = 0, eventId = null, image = null, target = null, state = null, showFrom = null, showUntil = null } = entry;
  if ((await selectFeatured(tx)).length >= maxFeatured)
    throw ruleViolation('', 'limit', `There can be at most ${maxFeatured} featured entries. Delete an entry first.`);
  changesImage(image, null, 'image', uploadOperation);
  const period = periodOf(showFrom, showUntil);
  const row = { position, event_id: eventId, image, picture_id: null, target, state: state?.toUpperCase() ?? null, ...period };
  requireContent(row);
  if (eventId !== null) await requirePublished(tx, 'eventId', [eventId]);
  const created = toEntry(await insertFeatured(tx, row));
  await record(tx, act, { subject: 'featured', id: created.id, after: created });
  return created;
}

export async function updateFeatured(tx: Tx, act: Act, id: number, changes: FeaturedBody): Promise<FeaturedEntry> {
  const before = await lockFeatured(tx, id);
  const { position, eventId, target, state, showFrom, showUntil } = { ...toEntry(before), ...changes };
  const { image, picture_id } = changesImage(changes.image, toEntry(before).image, 'image', uploadOperation)
    ? { image: changes.image, picture_id: null }
    : before;
  const period = periodOf(showFrom, showUntil);
  const row = { position, event_id: eventId, image, picture_id, target, state: state?.toUpperCase() ?? null, ...period };
  requireContent(row);
  // Only a new event must be published. So an entry can still be edited after its event was cancelled.
  if (changes.eventId) await requirePublished(tx, 'eventId', [changes.eventId]);
  return changeFeatured(tx, act, before, row);
}

export async function uploadBannerImage(tx: Tx, act: Act, id: number, picture: StoredPicture): Promise<Picture> {
  await changeFeatured(tx, act, await lockFeatured(tx, id), { image: null, picture_id: picture.id });
  return describePicture(picture);
}

export async function deleteBannerImage(tx: Tx, act: Act, id: number): Promise<void> {
  const before = await lockFeatured(tx, id);
  if (before.image === null && before.picture_id === null) throw new Problem('not_found', 'The entry has no picture.');
  const images = { image: null, picture_id: null };
  requireContent({ ...before, ...images });
  await changeFeatured(tx, act, before, images);
}

async function changeFeatured(tx: Tx, act: Act, before: FeaturedRow, changes: Partial<FeaturedColumns>): Promise<FeaturedEntry> {
  const row = await updateFeaturedRow(tx, before.id, changes);
  if (row.picture_id !== before.picture_id) await releasePicture(tx, act, before.picture_id);
  const after = toEntry(row);
  await record(tx, act, { subject: 'featured', id: before.id, before: toEntry(before), after });
  return after;
}

export async function deleteFeatured(tx: Tx, act: Act, id: number): Promise<void> {
  const before = await lockFeatured(tx, id);
  await deleteFeaturedRow(tx, id);
  await releasePicture(tx, act, before.picture_id);
  await record(tx, act, { subject: 'featured', id, before: toEntry(before) });
}

function requireContent({ event_id, image, picture_id, target }: FeaturedColumns): void {
  if (event_id === null && image === null && picture_id === null && target === null)
    throw ruleViolation('eventId', 'required', 'An entry needs an event, a picture or a target. Send eventId, image or target.');
}

function periodOf(from: string | null, until: string | null): Pick<FeaturedColumns, 'show_from' | 'show_until'> {
  const [show_from, show_until] = [from === null ? null : new Date(from), until === null ? null : new Date(until)];
  if (show_from && show_until && show_from >= show_until)
    throw ruleViolation('showUntil', 'order', 'The period ends before it starts. Set showUntil to a time after showFrom.');
  return { show_from, show_until };
}

async function lockFeatured(tx: Tx, id: number): Promise<FeaturedRow> {
  const row = await selectFeaturedForUpdate(tx, id);
  if (!row) throw new Problem('not_found');
  return row;
}

function toEntry({ id, position, event_id, image, picture, target, state, show_from, show_until }: FeaturedRow): FeaturedEntry {
  const shown = describeImage(image, picture);
  const period = { showFrom: show_from?.toISOString() ?? null, showUntil: show_until?.toISOString() ?? null };
  return { id, position, image: shown.address, picture: shown.picture, target, eventId: event_id, state, ...period };
}
