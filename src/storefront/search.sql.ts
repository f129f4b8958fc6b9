import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';

/** A moment: an instant, or a time on the wall, which is another instant at every event. */
export type Bound = { instant: Date } | { wall: string };

export interface SearchFilter {
  categoryId: number | undefined;
  state: string | undefined;
  from: Bound;
  to: Bound | undefined;
  /** Words that must be there, the rarest first; undefined when nothing is looked for. */
  words: readonly string[] | undefined;
}

/** Titles that match come before venues and descriptions that do; each by date. */
export type Tier = 'title' | 'elsewhere';

export interface FoundRow {
  id: number;
  starts_at: Date;
}

export type FoundKey = readonly [startsAtMs: number, id: number];

/** The bound as one instant for the index to begin with: time zones reach from 12 hours behind UTC to 14 hours ahead of it. */
const earliest = (bound: Bound) =>
  'instant' in bound ? sql`${bound.instant}::timestamptz` : sql`(${bound.wall}::timestamp at time zone 'UTC' - interval '14 hours')`;
const latest = (bound: Bound) =>
  'instant' in bound ? sql`${bound.instant}::timestamptz` : sql`(${bound.wall}::timestamp at time zone 'UTC' + interval '12 hours')`;
const atEvent = (bound: Bound) =>
  'instant' in bound ? sql`${bound.instant}::timestamptz` : sql`(${bound.wall}::timestamp at time zone e.timezone)`;

function matching({ categoryId, state, from, to }: SearchFilter): RawBuilder<unknown> {
  const inCategory = categoryId === undefined ? sql`true` : sql`e.category_id = ${categoryId}`;
  const inState = state === undefined ? sql`true` : sql`e.venue_state = ${state}`;
  const notFinished = sql`e.finishes_at > ${atEvent(from)}`;
  const started = to === undefined ? sql`true` : sql`e.starts_at <= ${latest(to)} and e.starts_at <= ${atEvent(to)}`;
  return sql`e.status = 'published' and ${inCategory} and ${inState} and ${notFinished} and ${started}`;
}

/**
 * That all the words are in the title, or anywhere, of what `row` names. Each is one look into an index, in its turn: without the
 * fence (`offset 0`) the planner makes a join of every word, and for forty of them plans for seconds.
 */
function having(words: readonly string[], inTitle: boolean, row: RawBuilder<unknown>): RawBuilder<unknown> {
  const looks = words.map(
    (word) =>
      sql`exists (select from event_word x where x.word = ${word} and x.in_title = ${inTitle} and (x.starts_at, x.event_id) = ${row} offset 0)`,
  );
  return looks.length === 0 ? sql`true` : sql`(${sql.join(looks, sql` and `)})`;
}

const ofEvent = sql`(e.starts_at, e.id)`;
const ofWord = sql`(w.starts_at, w.event_id)`;

/** What runs at `from`. Fenced: for the sake of the limit the planner would walk through all past events in their order. */
const running = (from: RawBuilder<unknown>) => sql`
  (select * from event where status = 'published' and tstzrange(starts_at, finishes_at) @> ${from} offset 0) e`;

/**
 * What runs at `from`, then what starts after it. Apart from each other, as no one index gives both in order; all that runs
 * started before all that will, so that one order by start holds over both.
 */
const inOrder = (now: RawBuilder<unknown>, coming: RawBuilder<unknown>, limit: number) => sql<FoundRow>`
  (${now} order by e.starts_at, e.id limit ${limit}) union all (${coming} limit ${limit}) order by starts_at, id limit ${limit}`;

const following = (row: RawBuilder<unknown>, after: FoundKey | null) =>
  after ? sql`${row} > (${new Date(after[0])}::timestamptz, ${after[1]}::bigint)` : sql`true`;

export async function selectListed(tx: Tx, filter: SearchFilter, after: FoundKey | null, limit: number): Promise<FoundRow[]> {
  const from = earliest(filter.from);
  const where = sql`${following(ofEvent, after)} and ${matching(filter)}`;
  const now = sql`select e.id, e.starts_at from ${running(from)} where ${where}`;
  const coming = sql`select e.id, e.starts_at from event e where e.starts_at > ${from} and ${where} order by e.starts_at, e.id`;
  return (await inOrder(now, coming, limit).execute(tx)).rows;
}

/** The same among those that have the words: what comes is read off the list of the rarest one. */
export async function selectFound(tx: Tx, filter: SearchFilter, tier: Tier, after: FoundKey | null, limit: number): Promise<FoundRow[]> {
  const [rarest, ...others] = filter.words ?? [];
  if (rarest === undefined) return [];
  const inTitle = tier === 'title';
  const from = earliest(filter.from);
  const until = filter.to === undefined ? sql`true` : sql`w.starts_at <= ${latest(filter.to)}`;
  const found = (words: readonly string[], row: RawBuilder<unknown>) =>
    sql`${following(row, after)} and ${having(words, inTitle, row)} and ${inTitle ? sql`true` : sql`not ${having([rarest, ...others], true, row)}`}`;
  const now = sql`
    select e.id, e.starts_at from ${running(from)} where ${matching(filter)} and ${found([rarest, ...others], ofEvent)}`;
  const coming = sql`
    select e.id, e.starts_at from event_word w join event e on e.id = w.event_id
     where w.word = ${rarest} and w.in_title = ${inTitle} and w.starts_at > ${from} and ${until} and ${found(others, ofWord)}
       and ${matching(filter)}
     order by w.starts_at, w.event_id`;
  return (await inOrder(now, coming, limit).execute(tx)).rows;
}

/** How far it is worth counting to tell rare words from common ones. */
const enough = 200;

/** The words of a search, those first that the fewest events to come have. */
export async function selectWords(tx: Tx, term: string, from: Bound): Promise<string[]> {
  const { rows } = await sql<{ words: string[] }>`select words_of(${term}) as words`.execute(tx);
  const words = rows[0]?.words ?? [];
  if (words.length < 2) return words;
  // Each word by itself: the planner must know which one it is, or it reads all the entries of a common one before it stops.
  const counts = words.map(
    (word) => sql`
      select ${word}::text as word, (select count(*) from (select from event_word where word = ${word} and not in_title
                                       and starts_at > ${earliest(from)} limit ${enough}) counted) as n`,
  );
  const ranked = await sql<{ word: string }>`${sql.join(counts, sql` union all `)} order by n, word`.execute(tx);
  return ranked.rows.map(({ word }) => word);
}

export async function countFound(tx: Tx, filter: SearchFilter): Promise<number> {
  if (filter.words === undefined) return count(tx, sql`event e where ${matching(filter)}`);
  const [rarest, ...others] = filter.words;
  if (rarest === undefined) return 0;
  return count(
    tx,
    sql`event_word w join event e on e.id = w.event_id
        where w.word = ${rarest} and not w.in_title and ${having(others, false, ofWord)} and ${matching(filter)}`,
  );
}

async function count(tx: Tx, what: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from ${what}`.execute(tx);
  return rows[0]?.n ?? 0;
}
