import { reach } from '../accounts/roles.ts';
import { requireCategory } from '../events/categories.ts';
import { eventFieldNames } from '../events/event-schemas.ts';
import type { Act, User } from '../kernel/act.ts';
import { decodeCursor, rowsToFetch, toPage } from '../kernel/cursor.ts';
import { readFields } from '../kernel/fields.ts';
import { Problem } from '../kernel/problem.ts';
import type { Page, PageQuery } from '../kernel/schema.ts';
import { readMoment, toInstant } from '../kernel/wall-clock.ts';
import type { Tx } from '../postgres/database.ts';
import { type EventPart, type SearchQuery } from './contract.ts';
import { describeEvents } from './event.ts';
import { countManagedEvents, selectManagedEventIds } from './events.sql.ts';
import {
  type Bound,
  countSearchResults,
  type FoundKey,
  type FoundRow,
  type SearchFilter,
  selectEventsByDate,
  selectEventsWithWords,
  selectPublicLinks,
  selectStates,
  selectWordsByRarity,
} from './search.sql.ts';

/** Searches published events that have not finished. `slug` is the slug of a category. */
export async function searchEvents(tx: Tx, act: Act, query: SearchQuery, slug: string | undefined): Promise<Page<EventPart>> {
  const fields = readFields(query.fields, eventFieldNames);
  const categoryId =
    slug === undefined
      ? undefined
      : await requireCategory(tx, slug, () => new Problem('not_found', 'There is no such category. GET /categories lists all categories.'));
  const filter = await readFilter(tx, query, categoryId, act.at);
  const found = await findPage(tx, filter, query);
  const total = query.count ? await countSearchResults(tx, filter) : undefined;
  const page = toPage(
    found,
    query,
    ({ tier, starts_at, id }) => [tier, starts_at.getTime(), id],
    ({ id }) => id,
    total,
  );
  return { ...page, data: await describeEvents(tx, page.data, act.at, fields) };
}

interface Found extends FoundRow {
  tier: number;
}

/** A search with words has two tiers: first events with all words in the title, then the other matches. Without words there is one tier. */
async function findPage(tx: Tx, filter: SearchFilter, query: PageQuery): Promise<Found[]> {
  const [fromTier, ...key] = query.cursor === undefined ? [0, 0, 0] : decodeCursor(query.cursor, ['number', 'time', 'number']);
  const after = query.cursor === undefined ? null : (key as unknown as FoundKey);
  if (filter.words === undefined) {
    const listed = await selectEventsByDate(tx, filter, after, rowsToFetch(query));
    return listed.map((row) => ({ ...row, tier: 0 }));
  }
  const found: Found[] = [];
  for (const [tier, kind] of (['title', 'elsewhere'] as const).entries()) {
    const wanted = rowsToFetch(query) - found.length;
    if (tier < fromTier || wanted === 0) continue;
    const rows = await selectEventsWithWords(tx, filter, kind, tier === fromTier ? after : null, wanted);
    found.push(...rows.map((row) => ({ ...row, tier })));
  }
  return found;
}

async function readFilter(tx: Tx, query: SearchQuery, categoryId: number | undefined, now: Date): Promise<SearchFilter> {
  const term = query.term?.trim() ?? '';
  const from = query.from === undefined ? { instant: now } : readBound('from', query.from, '00:00:00');
  const to = query.to === undefined ? undefined : readBound('to', query.to, '23:59:59');
  return {
    categoryId,
    state: query.state?.toUpperCase(),
    from,
    to,
    words: term === '' ? undefined : await selectWordsByRarity(tx, term, from),
  };
}

/** A date without a time, or a time without an offset, is in the time zone of each event. */
function readBound(field: string, text: string, time: string): Bound {
  const full = text.length === 10 ? `${text} ${time}` : text;
  const instant = full.includes('T') ? readMoment(full, 'UTC') : null;
  if (instant) return { instant };
  if (!full.includes('T') && toInstant(full, 'UTC')) return { localTime: full };
  const message = 'is a date or time that does not exist';
  throw new Problem('invalid_input', `${field} ${message}`, { errors: [{ in: 'query', field, code: 'no_such_time', message }] });
}

/** Returns the states of venues that have upcoming published events. */
export async function listStates(tx: Tx, { at }: Act): Promise<string[]> {
  return selectStates(tx, at);
}

/** Returns the links of upcoming published events, the next ones first. */
export async function listPublicLinks(tx: Tx, at: Date, limit: number): Promise<string[]> {
  return selectPublicLinks(tx, at, limit);
}

export interface ManagedEventsQuery extends PageQuery {
  producerId?: number;
  status?: string;
  categoryId?: number;
  term?: string;
  fields?: string;
}

/** Lists the events that the caller's roles allow them to read, in any status. */
export async function listEvents(tx: Tx, act: Act<User>, query: ManagedEventsQuery): Promise<Page<EventPart>> {
  const fields = readFields(query.fields, eventFieldNames);
  const { producerId, status, categoryId, term } = query;
  const filter = { reach: reach(act.actor, 'event.read'), producerId, status, categoryId, term: term?.trim() || undefined };
  const before = query.cursor === undefined ? null : decodeCursor(query.cursor, ['number'])[0];
  const ids = await selectManagedEventIds(tx, filter, before, rowsToFetch(query));
  const total = query.count ? await countManagedEvents(tx, filter) : undefined;
  const page = toPage(
    ids,
    query,
    (id) => [id],
    (id) => id,
    total,
  );
  return { ...page, data: await describeEvents(tx, page.data, act.at, fields) };
}
