import { type RawBuilder, sql } from 'kysely';
import type { Statement } from '../postgres/together.ts';

export interface StockToLock {
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
export function lockCounters({ itemIds, sessionIds, itemsOfAnySession, also }: StockToLock): RawBuilder<unknown> {
  const items = among(itemIds, also?.items);
  return sql`
    with items as (
      select id from item where id ${items} or id in (select parent_id from item where id ${items}) order by id for no key update),
    sessions as (
      select id from event_session s
       where id ${among(sessionIds, also?.sessions)}
          or id in (select x.session_id from item_session x join item i on i.id = x.item_id
                     where i.id ${items} and (i.type = 'passport' or i.id = any(${itemsOfAnySession})))
          or event_id in (select i.event_id from item i where i.id ${items} and (i.type = 'passport' or i.id = any(${itemsOfAnySession}))
                             and not exists (select from item_session x where x.item_id = i.id))
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
