import { type RawBuilder, sql } from 'kysely';
import type { Statement } from '../postgres/pipeline.ts';

export interface StockToLock {
  /** Items and sessions of other events are not locked, even if an order names their ids. */
  eventIds: readonly number[];
  itemIds: readonly number[];
  /** Sessions that orders name. */
  sessionIds: readonly number[];
  /** Items that are ordered without a session: all their sessions are locked. */
  itemsOfAnySession: readonly number[];
  /** Queries that return the ids of more items and sessions of these events. */
  also?: { items: RawBuilder<unknown>; sessions: RawBuilder<unknown> };
}

/** The SQL condition that an id is in `ids` or in the result of the query `also`. */
export const among = (ids: readonly number[], also: RawBuilder<unknown> | undefined): RawBuilder<unknown> =>
  also ? sql`= any(array(select unnest(${ids}::bigint[]) union all ${also}))` : sql`= any(${ids}::bigint[])`;

/**
 * Locks the rows of items, groups and sessions that have counters. Each table is locked in the order of events and ids, so that concurrent
 * orders cannot deadlock. The lock of an item also covers its sale periods.
 */
export function lockCounters({ eventIds, itemIds, sessionIds, itemsOfAnySession, also }: StockToLock): RawBuilder<unknown> {
  const ofEvents = sql`= any(${eventIds}::bigint[])`;
  // The ids are collected with `union`. With `or` between conditions PostgreSQL would read all rows of the events.
  return sql`
    with asked as materialized (
      select event_id, id, parent_id, type from item where event_id ${ofEvents} and id ${among(itemIds, also?.items)}),
    items as (
      select i.id from item i
       where i.event_id ${ofEvents}
         and (i.event_id, i.id) in (select event_id, id from asked union select event_id, parent_id from asked where parent_id is not null)
       order by i.event_id, i.id for no key update),
    of_any_session as materialized (
      select event_id, id from asked where type = 'passport' or id = any(${itemsOfAnySession}::bigint[])),
    sessions as (
      select s.id from event_session s
       where s.event_id ${ofEvents}
         and s.id in (select unnest(${sessionIds}::bigint[])
                      ${also ? sql`union ${also.sessions}` : sql``}
                      union select x.session_id from of_any_session o join item_session x on x.event_id = o.event_id and x.item_id = o.id
                      union select every.id from of_any_session o join event_session every on every.event_id = o.event_id
                             where not exists (select from item_session x where x.event_id = o.event_id and x.item_id = o.id))
       order by s.event_id, s.id for no key update)
    select (select count(*) from items), (select count(*) from sessions)`;
}

export interface CounterMove {
  eventId: number;
  id: number;
  sold: number;
  held: number;
}

export interface PeriodMove extends CounterMove {
  channel: number;
}

const columns = (moves: readonly CounterMove[]) =>
  sql`${moves.map(({ eventId }) => eventId)}::bigint[], ${moves.map(({ id }) => id)}::bigint[], ${moves.map(({ sold }) => sold)}::int[],
      ${moves.map(({ held }) => held)}::int[]`;

/** The events are a condition of their own, so that a distributed database finds the node of the rows. */
const inEventsOf = (moves: readonly CounterMove[]) => sql`= any(${[...new Set(moves.map(({ eventId }) => eventId))]}::bigint[])`;

/** The check constraints of the tables refuse counters above the limits. */
export const moveItemCounters = (moves: readonly CounterMove[]): Statement => sql`
  update item i set sold = i.sold + d.sold, held = i.held + d.held
    from unnest(${columns(moves)}) as d (event_id, id, sold, held)
   where i.event_id ${inEventsOf(moves)} and i.event_id = d.event_id and i.id = d.id`;

export const movePeriodCounters = (moves: readonly PeriodMove[]): Statement => sql`
  update sale_period p set sold = p.sold + d.sold, held = p.held + d.held
    from unnest(${columns(moves)}, ${moves.map(({ channel }) => channel)}::int[]) as d (event_id, id, sold, held, channel)
   where p.event_id ${inEventsOf(moves)} and p.event_id = d.event_id and p.item_id = d.id and p.app_category_id = d.channel`;
