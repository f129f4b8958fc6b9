import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';

/** An instant, or a local time, which is a different instant in each time zone. */
export type Bound = { instant: Date } | { localTime: string };

export interface SearchFilter {
  categoryId: number | undefined;
  state: string | undefined;
  from: Bound;
  to: Bound | undefined;
  /** An event must have all words. The rarest word is first. Undefined if there is no search term; empty if the term contains no word. */
  words: readonly string[] | undefined;
}

/** Tier `title` has the events with all words in the title. Tier `elsewhere` has the other matches. Each tier is sorted by date. */
export type Tier = 'title' | 'elsewhere';

export interface FoundRow {
  id: number;
  starts_at: Date;
}

export type FoundKey = readonly [startsAtMs: number, id: number];

/** The earliest and latest instant of a local time in any time zone (UTC-12 to UTC+14). Index conditions need an instant. */
const earliest = (bound: Bound) =>
  'instant' in bound ? sql`${bound.instant}::timestamptz` : sql`(${bound.localTime}::timestamp at time zone 'UTC' - interval '14 hours')`;
const latest = (bound: Bound) =>
  'instant' in bound ? sql`${bound.instant}::timestamptz` : sql`(${bound.localTime}::timestamp at time zone 'UTC' + interval '12 hours')`;
const atEvent = (bound: Bound) =>
  'instant' in bound ? sql`${bound.instant}::timestamptz` : sql`(${bound.localTime}::timestamp at time zone e.timezone)`;

function matching({ categoryId, state, from, to }: SearchFilter): RawBuilder<unknown> {
  const inCategory = categoryId === undefined ? sql`true` : sql`e.category_id = ${categoryId}`;
  const inState = state === undefined ? sql`true` : sql`e.venue_state = ${state}`;
  const notFinished = sql`e.finishes_at > ${atEvent(from)}`;
  const started = to === undefined ? sql`true` : sql`e.starts_at <= ${latest(to)} and e.starts_at <= ${atEvent(to)}`;
  return sql`e.status = 'published' and ${inCategory} and ${inState} and ${notFinished} and ${started}`;
}

/**
 * The condition that the event `row` has all words in its title, or anywhere in its texts. Each word is one index lookup. `offset 0` keeps
 * the planner from turning each word into a join: with forty words, planning would take seconds.
 */
function hasWords(words: readonly string[], inTitle: boolean, row: RawBuilder<unknown>): RawBuilder<unknown> {
  const lookups = words.map(
    (word) =>
      sql`exists (select 1 from event_word x where x.word = ${word} and x.in_title = ${inTitle} and (x.starts_at, x.event_id) = ${row} offset 0)`,
  );
  return lookups.length === 0 ? sql`true` : sql`(${sql.join(lookups, sql` and `)})`;
}

const ofEvent = sql`(e.starts_at, e.id)`;
const ofWord = sql`(w.starts_at, w.event_id)`;

/** Selects events that are running at `from`. Without `offset 0` the planner would scan all past events by date, because of the limit. */
const runningAt = (from: RawBuilder<unknown>) => sql`
  (select * from event where status = 'published' and tstzrange(starts_at, finishes_at) @> ${from} offset 0) e`;

/**
 * Selects running events, then upcoming events, with two queries, because no single index returns both in order. Running events started
 * before upcoming events, so the result is sorted by start.
 */
const runningThenUpcoming = (running: RawBuilder<unknown>, upcoming: RawBuilder<unknown>, limit: number) => sql<FoundRow>`
  /* all events */ (${running} order by e.starts_at, e.id limit ${limit}) union all (${upcoming} limit ${limit}) order by starts_at, id limit ${limit}`;

const afterCursor = (row: RawBuilder<unknown>, after: FoundKey | null) =>
  after ? sql`${row} > (${new Date(after[0])}::timestamptz, ${after[1]}::bigint)` : sql`true`;

export async function selectEventsByDate(tx: Tx, filter: SearchFilter, after: FoundKey | null, limit: number): Promise<FoundRow[]> {
  const from = earliest(filter.from);
  const where = sql`${afterCursor(ofEvent, after)} and ${matching(filter)}`;
  const running = sql`select e.id, e.starts_at from ${runningAt(from)} where ${where}`;
  const upcoming = sql`select e.id, e.starts_at from event e where e.starts_at > ${from} and ${where} order by e.starts_at, e.id`;
  return (await runningThenUpcoming(running, upcoming, limit).execute(tx)).rows;
}

/**
 * Returns events with all words. Upcoming events are found through the entries of the rarest word in `event_word`, which are sorted by
 * date.
 */
export async function selectEventsWithWords(
  tx: Tx,
  filter: SearchFilter,
  tier: Tier,
  after: FoundKey | null,
  limit: number,
): Promise<FoundRow[]> {
  const [rarest, ...others] = filter.words ?? [];
  if (rarest === undefined) return [];
  const inTitle = tier === 'title';
  const from = earliest(filter.from);
  const until = filter.to === undefined ? sql`true` : sql`w.starts_at <= ${latest(filter.to)}`;
  const found = (words: readonly string[], row: RawBuilder<unknown>) =>
    sql`${afterCursor(row, after)} and ${hasWords(words, inTitle, row)} and ${inTitle ? sql`true` : sql`not ${hasWords([rarest, ...others], true, row)}`}`;
  const running = sql`
    select e.id, e.starts_at from ${runningAt(from)} where ${matching(filter)} and ${found([rarest, ...others], ofEvent)}`;
  const upcoming = sql`
    select e.id, e.starts_at from event_word w join event e on e.id = w.event_id
     where w.word = ${rarest} and w.in_title = ${inTitle} and w.starts_at > ${from} and ${until} and ${found(others, ofWord)}
       and ${matching(filter)}
     order by w.starts_at, w.event_id`;
  return (await runningThenUpcoming(running, upcoming, limit).execute(tx)).rows;
}

/** A word in this many events is common, so counting stops at this number. */
const commonFrom = 200;

/** Returns the words of a search term. Words in fewer upcoming events come first. */
export async function selectWordsByRarity(tx: Tx, term: string, from: Bound): Promise<string[]> {
  const { rows } = await sql<{ words: string[] }>`select words_of(${term}) as words`.execute(tx);
  const words = rows[0]?.words ?? [];
  if (words.length < 2) return words;
  // Each word has its own subquery with a limit, so that PostgreSQL stops early instead of reading all entries of a common word.
  const counts = words.map(
    (word) => sql`
      select ${word}::text as word, (select count(*) from (select 1 from event_word where word = ${word} and not in_title
                                       and starts_at > ${earliest(from)} limit ${commonFrom}) counted) as n`,
  );
  const ranked = await sql<{ word: string }>`/* all events */ ${sql.join(counts, sql` union all `)} order by n, word`.execute(tx);
  return ranked.rows.map(({ word }) => word);
}

export async function countSearchResults(tx: Tx, filter: SearchFilter): Promise<number> {
  if (filter.words === undefined) return count(tx, sql`event e where ${matching(filter)}`);
  const [rarest, ...others] = filter.words;
  if (rarest === undefined) return 0;
  return count(
    tx,
    sql`event_word w join event e on e.id = w.event_id
        where w.word = ${rarest} and not w.in_title and ${hasWords(others, false, ofWord)} and ${matching(filter)}`,
  );
}

const maxStates = 100;

export async function selectStates(tx: Tx, at: Date): Promise<string[]> {
  const { rows } = await sql<{ state: string }>`
    /* all events */ select distinct venue_state as state from event
     where status = 'published' and finishes_at > ${at} and venue_state is not null order by 1 limit ${maxStates}`.execute(tx);
  return rows.map(({ state }) => state);
}

export async function selectPublicLinks(tx: Tx, at: Date, limit: number): Promise<string[]> {
  const { rows } = await sql<{ link: string }>`
    /* all events */ select link from event where status = 'published' and finishes_at > ${at} order by starts_at, id limit ${limit}`.execute(
    tx,
  );
  return rows.map(({ link }) => link);
}

async function count(tx: Tx, what: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ n: number }>`/* all events */ select count(*) as n from ${what}`.execute(tx);
  return rows[0]?.n ?? 0;
}
