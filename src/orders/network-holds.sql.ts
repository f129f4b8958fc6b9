import { type RawBuilder, sql } from 'kysely';
import { numberList } from '../postgres/array-parameters.ts';
import type { OldRows } from '../postgres/delete-old-rows.ts';
import { inEvent } from '../postgres/in-event.ts';
import type { Statement } from '../postgres/pipeline.ts';

const lapsedSeconds = 30 * 60;

export interface NetworkKey {
  eventId: number;
  /** Hash of the network address, see `networkKey`. */
  network: number;
}

export interface UnpaidRow {
  network: number;
  itemId: number;
  /** Tickets in open holds, plus the decayed count of lapsed tickets. */
  unpaid: number;
}

export interface UnpaidMove extends NetworkKey {
  itemId: number;
  held: number;
  lapsed: number;
}

/** A lapsed ticket belongs to a hold that ended unpaid. Its weight decreases linearly from 1 to 0 within 30 minutes. */
const decayed = (row: string, at: RawBuilder<unknown>) => sql`
  ${sql.ref(`${row}.lapsed`)} * greatest(0, 1 - greatest(0, extract(epoch from ${at} - ${sql.ref(`${row}.lapsed_at`)})) / ${sql.lit(lapsedSeconds)})`;

/** The rows are sorted by key, so that all transactions lock them in the same order. This prevents deadlocks. */
const movesAsRows = (moves: readonly UnpaidMove[], at: Date) => sql`
  (select event_id, network, item_id, held, lapsed, ${at}::timestamptz as moved_at
     from unnest(${numberList(moves.map(({ eventId }) => eventId))}::bigint[], ${numberList(moves.map(({ network }) => network))}::bigint[],
                 ${numberList(moves.map(({ itemId }) => itemId))}::bigint[], ${numberList(moves.map(({ held }) => held))}::int[],
                 ${numberList(moves.map(({ lapsed }) => lapsed))}::int[])
       as given (event_id, network, item_id, held, lapsed)
    order by 1, 2, 3)`;

const inEventOf = (keys: readonly NetworkKey[]) =>
  inEvent(
    sql`h.event_id`,
    keys.map(({ eventId }) => eventId),
  );

export const unpaidOf = (keys: readonly NetworkKey[], at: Date): RawBuilder<UnpaidRow> => sql<UnpaidRow>`
  select h.network, h.item_id as "itemId", h.held + ${decayed('h', sql`${at}::timestamptz`)} as unpaid
    from unnest(${numberList(keys.map(({ eventId }) => eventId))}::bigint[], ${numberList(keys.map(({ network }) => network))}::bigint[])
         as asked (event_id, network)
    join network_hold h on h.event_id = asked.event_id and h.network = asked.network
   where ${inEventOf(keys)}`;

export const addUnpaid = (moves: readonly UnpaidMove[], at: Date): Statement => sql`
  insert into network_hold (event_id, network, item_id, held, lapsed, lapsed_at) select * from ${movesAsRows(moves, at)} as d
  on conflict (event_id, network, item_id) do update set
    held = network_hold.held + excluded.held,
    lapsed = case when excluded.lapsed > 0 then ${decayed('network_hold', sql`excluded.lapsed_at`)} + excluded.lapsed else network_hold.lapsed end,
    lapsed_at = case when excluded.lapsed > 0 then excluded.lapsed_at else network_hold.lapsed_at end`;

/** Subtracts ended holds. Their tickets count as lapsed if the hold ended unpaid, otherwise they no longer count. */
export const endHolds = (moves: readonly UnpaidMove[], at: Date): Statement => sql`
  update network_hold h set
    held = greatest(0, h.held - d.held),
    lapsed = case when d.lapsed > 0 then ${decayed('h', sql`d.moved_at`)} + d.lapsed else h.lapsed end,
    lapsed_at = case when d.lapsed > 0 then d.moved_at else h.lapsed_at end
   from ${movesAsRows(moves, at)} as d
  where ${inEventOf(moves)} and h.event_id = d.event_id and h.network = d.network and h.item_id = d.item_id`;

/** Rows that count 0 and can be deleted: no open holds, and the last hold ended unpaid more than 30 minutes ago. */
export const settledNetworks = (at: Date): OldRows => ({
  table: 'network_hold',
  where: sql`held = 0 and lapsed_at < ${at}::timestamptz - make_interval(secs => ${sql.lit(lapsedSeconds)})`,
  age: null,
  keyedByEvent: true,
});
