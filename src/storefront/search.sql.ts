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

/** That all the words are in the event's title, or anywhere in it. Each is one look into an index. */
function having(words: readonly string[], inTitle: boolean): RawBuilder<unknown> {
  const looks = words.map(
    (word) =>
      sql`exists (select from event_word x where x.word = ${word} and x.in_title = ${inTitle} and x.starts_at = e.starts_at and x.event_id = e.id)`,
  );
  return looks.length === 0 ? sql`false` : sql`(${sql.join(looks, sql` and `)})`;
}

/**
 * What runs at `from`, then what starts after it. Apart from each other, as no one index gives both in order; all that runs
 * started before all that will, so that one order by start holds over both.
 */
const inOrder = (running: RawBuilder<unknown>, coming: RawBuilder<unknown>, limit: number) => sql<FoundRow>`
  (${running} order by e.starts_at, e.id limit ${limit}) union all (${coming} limit ${limit}) order by starts_at, id limit ${limit}`;

export async function selectListed(tx: Tx, filter: SearchFilter, after: FoundKey | null, limit: number): Promise<FoundRow[]> {
  const where = matching(filter);
  const from = earliest(filter.from);
  const start = after ? sql`(e.starts_at, e.id) > (${new Date(after[0])}, ${after[1]}::bigint)` : sql`true`;
  const running = sql`select e.id, e.starts_at from event e where tstzrange(e.starts_at, e.finishes_at) @> ${from} and ${start} and ${where}`;
  const coming = sql`select e.id, e.starts_at from event e where e.starts_at > ${from} and ${start} and ${where} order by e.starts_at, e.id`;
  return (await inOrder(running, coming, limit).execute(tx)).rows;
}

/** The same among those that have the words: what comes is read off the list of the rarest one. */
export async function selectFound(tx: Tx, filter: SearchFilter, tier: Tier, after: FoundKey | null, limit: number): Promise<FoundRow[]> {
  const words = filter.words ?? [];
  const inTitle = tier === 'title';
  const [rarest = ''] = words;
  const where = sql`${matching(filter)} and ${having(words, inTitle)} and ${inTitle ? sql`true` : sql`not ${having(words, true)}`}`;
  const from = earliest(filter.from);
  const start = after ? sql`(e.starts_at, e.id) > (${new Date(after[0])}, ${after[1]}::bigint)` : sql`true`;
  const listed = after ? sql`(w.starts_at, w.event_id) > (${new Date(after[0])}, ${after[1]}::bigint)` : sql`true`;
  const running = sql`select e.id, e.starts_at from event e where tstzrange(e.starts_at, e.finishes_at) @> ${from} and ${start} and ${where}`;
  const coming = sql`
    select e.id, e.starts_at from event_word w join event e on e.id = w.event_id
     where w.word = ${rarest} and w.in_title = ${inTitle} and w.starts_at > ${from} and ${listed} and ${where}
     order by w.starts_at, w.event_id`;
  return (await inOrder(running, coming, limit).execute(tx)).rows;
}

/** How far it is worth counting to tell rare words from common ones. */
const enough = 200;

/** The words of a search, those first that the fewest events to come have. */
export async function selectWords(tx: Tx, term: string, from: Bound): Promise<string[]> {
  const { rows } = await sql<{ word: string }>`
    select word from unnest(words_of(${term})) as asked (word)
     order by (select count(*) from (select from event_word w where w.word = asked.word and not w.in_title
                                        and w.starts_at > ${earliest(from)} limit ${enough}) counted), word`.execute(tx);
  return rows.map(({ word }) => word);
}

export async function countFound(tx: Tx, filter: SearchFilter): Promise<number> {
  const found = filter.words === undefined ? sql`true` : having(filter.words, false);
  const { rows } = await sql<{ n: number }>`select count(*) as n from event e where ${matching(filter)} and ${found}`.execute(tx);
  return rows[0]?.n ?? 0;
}
