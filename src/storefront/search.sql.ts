import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';

/** A moment: an instant, or a time on the wall, which is another instant at every event. */
export type Bound = { instant: Date } | { wall: string };

export interface SearchFilter {
  categoryId: number | undefined;
  state: string | undefined;
  from: Bound;
  to: Bound | undefined;
  term: string | undefined;
}

/** Titles that match come before venues and descriptions that do; each by date. */
export type Tier = 'any' | 'title' | 'elsewhere';

export interface FoundRow {
  id: number;
  starts_at: Date;
}

export type FoundKey = readonly [startsAtMs: number, id: number];

/** Time zones reach from 12 hours behind UTC to 14 hours ahead of it. */
const earliest = (bound: Bound) =>
  'instant' in bound ? sql`${bound.instant}::timestamptz` : sql`(${bound.wall}::timestamp at time zone 'UTC' - interval '14 hours')`;
const latest = (bound: Bound) =>
  'instant' in bound ? sql`${bound.instant}::timestamptz` : sql`(${bound.wall}::timestamp at time zone 'UTC' + interval '12 hours')`;
const atEvent = (bound: Bound) =>
  'instant' in bound ? sql`${bound.instant}::timestamptz` : sql`(${bound.wall}::timestamp at time zone timezone)`;

function matching({ categoryId, state, from, to, term }: SearchFilter, tier: Tier): RawBuilder<unknown> {
  const inCategory = categoryId === undefined ? sql`true` : sql`category_id = ${categoryId}`;
  const inState = state === undefined ? sql`true` : sql`venue_state = ${state}`;
  const notFinished = 'instant' in from ? sql`true` : sql`finishes_at > ${atEvent(from)}`;
  const started =
    to === undefined
      ? sql`true`
      : 'instant' in to
        ? sql`starts_at <= ${latest(to)}`
        : sql`starts_at <= ${latest(to)} and starts_at <= ${atEvent(to)}`;
  const found = {
    any: term === undefined ? sql`true` : sql`words @@ search_words(${term})`,
    title: sql`title_words @@ search_words(${term})`,
    elsewhere: sql`words @@ search_words(${term}) and not title_words @@ search_words(${term})`,
  }[tier];
  return sql`status = 'published' and ${inCategory} and ${inState} and ${notFinished} and ${started} and ${found}`;
}

/**
 * What runs at `from`, then what starts after it. Apart from each other, as no one index gives both in order; all that runs
 * started before all that will, so that one order by start holds over both.
 */
export async function selectFound(tx: Tx, filter: SearchFilter, tier: Tier, after: FoundKey | null, limit: number): Promise<FoundRow[]> {
  const where = matching(filter, tier);
  const from = earliest(filter.from);
  const start = after ? sql`(starts_at, id) > (${new Date(after[0])}, ${after[1]}::bigint)` : sql`true`;
  const { rows } = await sql<FoundRow>`
    (select id, starts_at from event where tstzrange(starts_at, finishes_at) @> ${from} and ${start} and ${where}
      order by starts_at, id limit ${limit})
    union all
    (select id, starts_at from event where starts_at > ${from} and ${start} and ${where}
      order by starts_at, id limit ${limit})
    order by starts_at, id limit ${limit}`.execute(tx);
  return rows;
}

export async function countFound(tx: Tx, filter: SearchFilter): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from event where finishes_at > ${earliest(filter.from)} and ${matching(filter, 'any')}`.execute(tx);
  return rows[0]?.n ?? 0;
}
