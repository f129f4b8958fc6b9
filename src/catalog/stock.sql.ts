import { type RawBuilder, sql } from 'kysely';
import type { RowKey } from '../kernel/ids-by-event.ts';
import { inEvent } from '../postgres/in-event.ts';
import type { Statement } from '../postgres/pipeline.ts';
import { itemsToSell, type StockRow } from './items.sql.ts';

export interface StockToLock {
  /** The events of all items and sessions, including those that `also` returns. */
  eventIds: readonly number[];
  /** An item or session that does not belong to its event is not locked, even if an order names its id. */
  items: readonly RowKey[];
  /** Sessions that orders name. */
  sessions: readonly RowKey[];
  /** The ids of items that are ordered without a session: all their sessions are locked. */
  itemsOfAnySession: readonly number[];
  /** Queries that return more items and sessions of these events, as event and id. */
  also?: { items: RawBuilder<unknown>; sessions: RawBuilder<unknown> };
}

/** A query that returns the keys and the rows of the query `also`, each once. */
function wantedKeys(keys: readonly RowKey[], also: RawBuilder<unknown> | undefined): RawBuilder<unknown> {
  const distinct = [...new Map(keys.map((key) => [`${key.eventId} ${key.id}`, key])).values()];
  const [eventIds, ids] = [distinct.map(({ eventId }) => eventId), distinct.map(({ id }) => id)];
  return sql`
    select * from unnest(${eventIds}::bigint[], ${ids}::bigint[]) as known (event_id, id) ${also ? sql`union ${also}` : sql``}`;
}

/**
 * Locks the rows of items, groups and sessions that have counters. Each table is locked in the order of events and ids, so that concurrent
 * orders cannot deadlock. The lock of an item also covers its sale periods. Every row is found by its primary key.
 */
export function lockCounters({ eventIds, items, sessions, itemsOfAnySession, also }: StockToLock): RawBuilder<unknown> {
  return sql`
    with asked as materialized (
      select i.event_id, i.id, i.parent_id, i.type
        from (${wantedKeys(items, also?.items)}) k join item i on i.event_id = k.event_id and i.id = k.id where ${inEvent(sql`i.event_id`, eventIds)}),
    items as (
      select i.id
        from (select event_id, id from asked union select event_id, parent_id from asked where parent_id is not null) k
        join item i on i.event_id = k.event_id and i.id = k.id
       where ${inEvent(sql`i.event_id`, eventIds)} order by i.event_id, i.id for no key update of i),
    of_any_session as materialized (
      select event_id, id from asked where type = 'passport' or id = any(${itemsOfAnySession}::bigint[])),
    sessions as (
      select s.id
        from (${wantedKeys(sessions, also?.sessions)}
              union select x.event_id, x.session_id from of_any_session o join item_session x on x.event_id = o.event_id and x.item_id = o.id
                     where ${inEvent(sql`x.event_id`, eventIds)}
              union select every.event_id, every.id from of_any_session o join event_session every on every.event_id = o.event_id
                     where ${inEvent(sql`every.event_id`, eventIds)}
                       and not exists (select 1 from item_session x where ${inEvent(sql`x.event_id`, eventIds)} and x.event_id = o.event_id and x.item_id = o.id)) k (event_id, id)
        join event_session s on s.event_id = k.event_id and s.id = k.id
       where ${inEvent(sql`s.event_id`, eventIds)} order by s.event_id, s.id for no key update of s)
    select (select count(*) from items), (select count(*) from sessions)`;
}

/** Reads the items after they were locked. */
export const selectLockedItems = ({ eventIds, items, also }: StockToLock): RawBuilder<StockRow> =>
  itemsToSell(eventIds, wantedKeys(items, also?.items));

export interface CounterMove extends RowKey {
  sold: number;
  held: number;
}

export interface PeriodMove extends CounterMove {
  channel: number;
}

const columns = (moves: readonly CounterMove[]) =>
  sql`${moves.map(({ eventId }) => eventId)}::bigint[], ${moves.map(({ id }) => id)}::bigint[], ${moves.map(({ sold }) => sold)}::int[],
      ${moves.map(({ held }) => held)}::int[]`;

const inEventOf = (column: RawBuilder<unknown>, moves: readonly CounterMove[]) =>
  inEvent(
    column,
    moves.map(({ eventId }) => eventId),
  );

/** The check constraints of the tables refuse counters above the limits. */
export const moveItemCounters = (moves: readonly CounterMove[]): Statement => sql`
  update item i set sold = i.sold + d.sold, held = i.held + d.held
    from unnest(${columns(moves)}) as d (event_id, id, sold, held)
   where ${inEventOf(sql`i.event_id`, moves)} and i.event_id = d.event_id and i.id = d.id`;

export const movePeriodCounters = (moves: readonly PeriodMove[]): Statement => sql`
  update sale_period p set sold = p.sold + d.sold, held = p.held + d.held
    from unnest(${columns(moves)}, ${moves.map(({ channel }) => channel)}::int[]) as d (event_id, id, sold, held, channel)
   where ${inEventOf(sql`p.event_id`, moves)} and p.event_id = d.event_id and p.item_id = d.id and p.app_category_id = d.channel`;
