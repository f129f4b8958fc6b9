import { sql } from 'kysely';
import type { Database, Tx } from '../postgres/database.ts';
import { queryPrepared, type Statement } from '../postgres/pipeline.ts';
import type { Load } from './automatic-rate.ts';

export interface OpenRoomRow {
  eventId: number;
  isDrawn: boolean;
  isAutomatic: boolean;
}

/** Returns the rooms that are on and due. */
export const selectOpenRooms = (db: Database, at: Date): Promise<OpenRoomRow[]> =>
  queryPrepared(
    db,
    sql<OpenRoomRow>`
      /* all events */ select event_id as "eventId", drawn_to is not null as "isDrawn", auto and not paused as "isAutomatic"
                         from waiting_room where enabled and opens_at <= ${at} order by event_id`,
  );

export const upsertReport = (eventId: number, process: string, { pressure, capacity }: Load, at: Date): Statement => sql`
  insert into waiting_room_report (event_id, process, pressure, capacity, reported_at)
  values (${eventId}, ${process}, ${pressure}, ${capacity}, ${at})
  on conflict (event_id, process) do update set pressure = excluded.pressure, capacity = excluded.capacity, reported_at = excluded.reported_at`;

/** Reports of processes that were stopped. */
export const deleteReportsBefore = (eventId: number, before: Date): Statement => sql`
  delete from waiting_room_report where event_id = ${eventId} and reported_at < ${before}`;

export async function selectReports(tx: Tx, eventId: number): Promise<Load[]> {
  return tx.selectFrom('waiting_room_report').select(['pressure', 'capacity']).where('event_id', '=', eventId).execute();
}

/** Returns true for one process at a time: the first that asks after the interval. */
export async function takeTurnToAdjust(tx: Tx, eventId: number, at: Date, before: Date): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('waiting_room')
    .set({ adjusted_at: at })
    .where('event_id', '=', eventId)
    .where('enabled', '=', true)
    .where('auto', '=', true)
    .where('paused', '=', false)
    .where((eb) => eb.or([eb('adjusted_at', 'is', null), eb('adjusted_at', '<=', before)]))
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

export interface RoomNumbers {
  eventId: number;
  last: number;
  first: number;
  skipped: number;
  reached: number;
  perMinute: number;
}

/** Returns the numbers of all rooms that are on, for the metrics. */
export const selectNumbers = (db: Database, at: Date): Promise<RoomNumbers[]> =>
  queryPrepared(
    db,
    sql<RoomNumbers>`
      /* all events */ select w.event_id as "eventId", w.last_number as last, w.first_number as first, w.skipped, r.per_minute as "perMinute",
             floor(r.from_place + r.per_minute * greatest(0, extract(epoch from ${at}::timestamptz - r.since)) / 60)::float8 as reached
        from waiting_room w
        join waiting_room_rate r on r.event_id = w.event_id
         and r.since = (select max(latest.since) from waiting_room_rate latest where latest.event_id = w.event_id)
       where w.enabled`,
  );
