import { type RawBuilder, sql } from 'kysely';
import type { Statement } from '../postgres/pipeline.ts';

export interface StockToLock {
  /** Items and sessions of other events are not locked, whoever names them. Null for any event. */
  eventIds: readonly number[] | null;
  itemIds: readonly number[];
  /** Sessions that were asked for by name. */
  sessionIds: readonly number[];
  /** Items for which none was: all of their sessions may be meant. */
  itemsOfAnySession: readonly number[];
  /** More items and sessions, as queries that answer their ids. */
  also?: { items: RawBuilder<unknown>; sessions: RawBuilder<unknown> };
}

/** For a condition on ids: those that are known, and those that the database is to find. */
export const among = (ids: readonly number[], also: RawBuilder<unknown> | undefined): RawBuilder<unknown> =>
  also ? sql`= any(array(select unnest(${ids}::bigint[]) union all ${also}))` : sql`= any(${ids})`;

/**
 * Locks all counters that these items share with others, each kind in the order of its ids, so that two who sell at once wait for
 * each other at most one way round. Sale periods are guarded by the lock of their item.
 */
export function lockCounters({ eventIds, itemIds, sessionIds, itemsOfAnySession, also }: StockToLock): RawBuilder<unknown> {
  // Looked up by id, of which there are few, and not by event.
  const ofEvents = eventIds === null ? sql`true` : sql`event_id + 0 = any(${eventIds}::bigint[])`;
  // Ids are brought together before any is looked up: an "or" between conditions would have every row of the table looked at.
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

/** The checks of the tables are the last to judge: what would pass a limit fails here. */
export const moveItemCounters = (moves: readonly CounterMove[]): Statement => sql`
  update item set sold = item.sold + d.sold, held = item.held + d.held
    from unnest(${columns(moves)}) as d (id, sold, held) where item.id = d.id`;

export const movePeriodCounters = (moves: readonly PeriodMove[]): Statement => sql`
  update sale_period set sold = sale_period.sold + d.sold, held = sale_period.held + d.held
    from unnest(${columns(moves)}, ${moves.map(({ channel }) => channel)}::int[]) as d (id, sold, held, channel)
   where item_id = d.id and app_category_id = d.channel`;
