import { type RawBuilder, sql } from 'kysely';
import type { Statement } from '../postgres/pipeline.ts';

export interface StockToLock {
  /** Items and sessions of other events are not locked, even if an order names their ids. Null means any event. */
  eventIds: readonly number[] | null;
  itemIds: readonly number[];
  /** Sessions that orders name. */
  sessionIds: readonly number[];
  /** Items that are ordered without a session: all their sessions are locked. */
  itemsOfAnySession: readonly number[];
  /** Queries that return the ids of more items and sessions. */
  also?: { items: RawBuilder<unknown>; sessions: RawBuilder<unknown> };
}

/** The SQL condition that an id is in `ids` or in the result of the query `also`. */
export const among = (ids: readonly number[], also: RawBuilder<unknown> | undefined): RawBuilder<unknown> =>
  also ? sql`= any(array(select unnest(${ids}::bigint[]) union all ${also}))` : sql`= any(${ids})`;

/**
 * Locks the rows of items, groups and sessions that have counters. Each table is locked in the order of ids, so that concurrent orders
 * cannot deadlock. The lock of an item also covers its sale periods.
 */
export function lockCounters({ eventIds, itemIds, sessionIds, itemsOfAnySession, also }: StockToLock): RawBuilder<unknown> {
  // `+ 0` keeps the planner from using the index on event_id. There are only a few ids, so the primary key is faster.
  const ofEvents = eventIds === null ? sql`true` : sql`event_id + 0 = any(${eventIds}::bigint[])`;
  // The ids are collected with `union`. With `or` between conditions PostgreSQL would scan the whole table.
  return sql`
    with asked as materialized (select id from item where id ${among(itemIds, also?.items)} and ${ofEvents}),
    items as (
      select id from item
       where id in (select id from asked union select parent_id from item where id in (select id from asked) and parent_id is not null)
       order by id for no key update),
    of_any_session as materialized (
      select id, event_id from item where id in (select id from asked) and (type = 'passport' or id = any(${itemsOfAnySession}))),
    sessions as (
      select id from event_session
       where id in (select unnest(${sessionIds}::bigint[])
                    ${also ? sql`union ${also.sessions}` : sql``}
                    union select x.session_id from item_session x where x.item_id in (select id from of_any_session)
                    union select s.id from event_session s
                           where s.event_id in (select event_id from of_any_session o
                                                 where not exists (select from item_session x where x.item_id = o.id)))
         and ${ofEvents}
       order by id for no key update)
    select (select count(*) from items), (select count(*) from sessions)`;
}

export interface CounterMove {
  id: number;
  sold: number;
  held: number;
}

export interface PeriodMove extends CounterMove {
  channel: number;
}

const columns = (moves: readonly CounterMove[]) =>
  sql`${moves.map(({ id }) => id)}::bigint[], ${moves.map(({ sold }) => sold)}::int[], ${moves.map(({ held }) => held)}::int[]`;

/** The check constraints of the tables refuse counters above the limits. */
export const moveItemCounters = (moves: readonly CounterMove[]): Statement => sql`
  update item set sold = item.sold + d.sold, held = item.held + d.held
    from unnest(${columns(moves)}) as d (id, sold, held) where item.id = d.id`;

export const movePeriodCounters = (moves: readonly PeriodMove[]): Statement => sql`
  update sale_period set sold = sale_period.sold + d.sold, held = sale_period.held + d.held
    from unnest(${columns(moves)}, ${moves.map(({ channel }) => channel)}::int[]) as d (id, sold, held, channel)
   where item_id = d.id and app_category_id = d.channel`;
