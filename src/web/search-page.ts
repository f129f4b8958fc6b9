import { allPagesTag } from '../http/page-cache.ts';
import type { PageEdge } from '../http/page-routes.ts';
import type { Act } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import { toWallClock } from '../kernel/wall-clock.ts';
import type { Tx } from '../postgres/database.ts';
import type { SearchQuery } from '../storefront/contract.ts';
import { listStates, searchEvents } from '../storefront/search-events.ts';
import { readCategories } from './categories.ts';
import type { SearchFilters, SearchPage } from './contract.ts';
import { cardFields, cardsOf } from './event-cards.ts';

const eventsPerPage = 24;
const dayMs = 86_400_000;

type Query = Readonly<Record<string, string>>;

/** Reads the search page, or the page of the category `slug`. Filters that are not valid give an empty page that says so. */
export async function readSearchPage(edge: PageEdge, act: Act, query: Query, slug: string | null): Promise<SearchPage> {
  const filters = readFilters(query);
  const category = slug === null ? null : (await readCategories(edge)).find((each) => each.slug === slug);
  if (category === undefined) throw new Problem('not_found');
  const { states, timezone } = await edge.readShared('search', allPagesTag, (tx) => readOffered(tx, act));
  const found = await edge.read((tx) => search(tx, act, filters, query.cursor, category?.slug ?? (filters.category || undefined)));
  return {
    kind: 'search',
    category: category && { slug: category.slug, name: category.name },
    filters,
    states,
    presets: presetsOn(toWallClock(act.at, timezone).slice(0, 10)),
    events: cardsOf(found?.data ?? []),
    total: found?.total ?? 0,
    nextCursor: found?.nextCursor ?? null,
    invalid: found === null,
  };
}

/** What every search page needs to offer its filters. */
const readOffered = async (tx: Tx, act: Act) => ({
  states: await listStates(tx, act),
  timezone: await usualTimeZone(tx, act),
});

function readFilters({ q = '', category = '', state = '', from = '', to = '' }: Query): SearchFilters {
  return { q: q.trim().slice(0, 100), category: category.slice(0, 100), state: state.toUpperCase(), from, to };
}

const isDay = (text: string): boolean => text === '' || /^\d{4}-\d{2}-\d{2}$/.test(text);

/** Returns null if a filter is not valid. */
async function search(tx: Tx, act: Act, { q, state, from, to }: SearchFilters, cursor: string | undefined, category: string | undefined) {
  if (!isDay(from) || !isDay(to) || !/^([A-Z]{2})?$/.test(state)) return null;
  const query: SearchQuery = { pageSize: eventsPerPage, count: true, fields: cardFields };
  if (q !== '') query.term = q;
  if (state !== '') query.state = state;
  if (from !== '') query.from = from;
  if (to !== '') query.to = to;
  if (cursor) query.cursor = cursor.slice(0, 500);
  try {
    return await searchEvents(tx, act, query, category);
  } catch (error) {
    if (error instanceof Problem && error.code === 'invalid_input') return null;
    throw error;
  }
}

const dayOf = (instant: number): string => new Date(instant).toISOString().slice(0, 10);

/** The dates of the quick filters, where `today` is the day at the place of the events. */
function presetsOn(today: string): SearchPage['presets'] {
  const now = Date.parse(today);
  const weekday = new Date(now).getUTCDay();
  const saturday = weekday === 0 ? now - dayMs : now + (6 - weekday) * dayMs;
  return {
    weekend: { from: dayOf(Math.max(saturday, now)), to: dayOf(saturday + dayMs) },
    week: { from: today, to: dayOf(now + 7 * dayMs) },
    month: { from: today, to: dayOf(now + 30 * dayMs) },
  };
}

/** The time zone of most of the next events. The time zone of the reader is not known, and pages are the same for all readers. */
async function usualTimeZone(tx: Tx, act: Act): Promise<string> {
  const { data } = await searchEvents(tx, act, { pageSize: eventsPerPage, fields: 'timezone' }, undefined);
  const counts = new Map<string, number>();
  for (const { timezone = 'UTC' } of data) counts.set(timezone, (counts.get(timezone) ?? 0) + 1);
  const [zone = 'UTC'] = [...counts.keys()].toSorted((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0));
  return zone;
}
