import { type Insertable, type RawBuilder, sql, type Updateable } from 'kysely';
import { groupBy } from '../kernel/group-by.ts';
import { numberList } from '../postgres/array-parameters.ts';
import type { Tx } from '../postgres/database.ts';
import { inEvents } from '../postgres/in-event.ts';
import { runPipeline, type Statement, type Step } from '../postgres/pipeline.ts';
import type { Schema } from '../postgres/schema.ts';
import type { Rate, Room } from './room.ts';

type RoomRow = Omit<Room, 'rates'>;
type RateRow = Rate & { eventId: number };

const columns = sql`event_id as "eventId", enabled, opens_at as "opensAt", auto, per_minute as "perMinute", paused, minutes,
  orders_per_place as "ordersPerPlace", seed, first_number as "firstNumber", last_number as "lastNumber", skipped, drawn_to as "drawnTo"`;

const roomRows = (eventIds: readonly number[], lock: RawBuilder<unknown>): RawBuilder<RoomRow> => sql<RoomRow>`
  select ${columns} from waiting_room where ${inEvents(sql`event_id`, eventIds)} order by event_id ${lock}`;

/** Nobody can enter later than twice the longest admission after the turn, so older rates are not read. */
const longestMinutes = 61;

const rateRows = (eventIds: readonly number[], at: Date): RawBuilder<RateRow> => sql<RateRow>`
  select r.event_id as "eventId", r.since, r.from_place as "fromPlace", r.per_minute as "perMinute" from waiting_room_rate r
   where ${inEvents(sql`r.event_id`, eventIds)}
     and r.since >= coalesce((select max(old.since) from waiting_room_rate old
                               where ${inEvents(sql`old.event_id`, eventIds)} and old.event_id = r.event_id
                                 and old.since <= ${at}::timestamptz - make_interval(mins => ${sql.lit(longestMinutes)})), '-infinity')
   order by r.event_id, r.since`;

function roomsStep(eventIds: readonly number[], at: Date, lock: RawBuilder<unknown>): Step<Map<number, Room>> {
  return {
    statements: eventIds.length === 0 ? [] : [roomRows(eventIds, lock), rateRows(eventIds, at)],
    read: ([rooms = [], rates = []]) => {
      const ratesOf = groupBy(rates as RateRow[], ({ eventId }) => eventId);
      return new Map((rooms as RoomRow[]).map((room) => [room.eventId, { ...room, rates: ratesOf.get(room.eventId) ?? [] }]));
    },
  };
}

async function select(tx: Tx, eventIds: readonly number[], at: Date, lock: RawBuilder<unknown>): Promise<Map<number, Room>> {
  const [rooms] = await runPipeline(tx, [roomsStep([...new Set(eventIds)], at, lock)]);
  return rooms;
}

/** Returns the rooms by event, also those that are turned off. */
export const selectRooms = (tx: Tx, eventIds: readonly number[], at: Date): Promise<Map<number, Room>> => select(tx, eventIds, at, sql``);

export const selectRoomsForUpdate = (tx: Tx, eventIds: readonly number[], at: Date): Promise<Map<number, Room>> =>
  select(tx, eventIds, at, sql`for no key update`);

export async function insertRoom(tx: Tx, room: Insertable<Schema['waiting_room']>): Promise<void> {
  await tx.insertInto('waiting_room').values(room).execute();
}

export async function updateRoom(tx: Tx, eventId: number, changes: Updateable<Schema['waiting_room']>): Promise<void> {
  await tx.updateTable('waiting_room').set(changes).where('event_id', '=', eventId).execute();
}

/** If two rates begin in the same millisecond, the second replaces the first. */
export const insertRate = (eventId: number, { since, fromPlace, perMinute }: Rate): Statement => sql`
  insert into waiting_room_rate (event_id, since, from_place, per_minute) values (${eventId}, ${since}, ${fromPlace}, ${perMinute})
  on conflict (event_id, since) do update set from_place = excluded.from_place, per_minute = excluded.per_minute`;

export const deleteRates = (eventId: number): Statement => sql`delete from waiting_room_rate where event_id = ${eventId}`;

export interface HandedOut {
  eventId: number;
  last: number;
  skipped: number;
}

/** The rows are locked. A room that is open and has no draw yet gets it: all earlier numbers take part. */
export const handOut = (handed: readonly HandedOut[], at: Date): Statement => sql`
  update waiting_room w set drawn_to = case when w.drawn_to is null and w.opens_at <= ${at} then w.last_number else w.drawn_to end,
         last_number = d.last, skipped = w.skipped + d.skipped
    from unnest(${numberList(handed.map(({ eventId }) => eventId))}::bigint[], ${numberList(handed.map(({ last }) => last))}::bigint[],
                ${numberList(handed.map(({ skipped }) => skipped))}::bigint[]) as d (event_id, last, skipped)
   where ${inEvents(
     sql`w.event_id`,
     handed.map(({ eventId }) => eventId),
   )} and w.event_id = d.event_id`;

/** Closes the list of numbers that take part in the draw. Only the first call after the opening changes something. */
export const closeDraw = (eventId: number, at: Date): Statement => sql`
  update waiting_room set drawn_to = last_number where event_id = ${eventId} and enabled and drawn_to is null and opens_at <= ${at}`;

export async function selectTimezone(tx: Tx, eventId: number): Promise<string> {
  return (await tx.selectFrom('event').select('timezone').where('id', '=', eventId).executeTakeFirstOrThrow()).timezone;
}
