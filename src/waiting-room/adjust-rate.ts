import { tellPages } from '../platform/page-changes.ts';
import type { Database, Tx } from '../postgres/database.ts';
import { executeAll } from '../postgres/pipeline.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { isWorthwhile, type Load, nextRate } from './automatic-rate.ts';
import { deleteReportsBefore, selectOpenRooms, selectReports, takeTurnToAdjust, upsertReport } from './reports.sql.ts';
import { countVisitors, exactWatermark } from './room.ts';
import { closeDraw, insertRate, selectRoomsForUpdate, updateRoom } from './rooms.sql.ts';

export const adjustEveryMs = 5_000;
const reportsKeptMs = 15_000;

/** Draws the places of a room that is due, if no visitor has caused it yet. */
export async function drawDueRooms(db: Database, at: Date): Promise<void> {
  for (const { eventId, isDrawn } of await selectOpenRooms(db, at)) {
    if (!isDrawn) await inTransaction(db, {}, (tx) => executeAll(tx, [closeDraw(eventId, at), ...tellPages([eventId])]));
  }
}

/** Reports the load of this process to each room that chooses its rate. One of the processes then sets the new rate. */
export async function adjustRates(db: Database, at: Date, process: string, load: Load): Promise<void> {
  const rooms = await selectOpenRooms(db, at);
  for (const { eventId, isAutomatic } of rooms) {
    if (isAutomatic) await inTransaction(db, {}, (tx) => adjustRate(tx, at, eventId, { process, load }));
  }
}

async function adjustRate(tx: Tx, at: Date, eventId: number, { process, load }: { process: string; load: Load }): Promise<void> {
  await executeAll(tx, [upsertReport(eventId, process, load, at)]);
  // The processes do not tick at the same time, so the interval of a room is a little shorter than that of a process.
  if (!(await takeTurnToAdjust(tx, eventId, at, new Date(at.getTime() - 0.9 * adjustEveryMs)))) return;
  await executeAll(tx, [deleteReportsBefore(eventId, new Date(at.getTime() - reportsKeptMs))]);
  const room = (await selectRoomsForUpdate(tx, [eventId], at)).get(eventId);
  // A rate that nobody needs says nothing about the capacity. It would grow until the next crowd comes in at once.
  if (!room || countVisitors(room, at).waiting === 0) return;
  const perMinute = nextRate(room.perMinute, await selectReports(tx, eventId));
  if (!isWorthwhile(room.perMinute, perMinute)) return;
  await updateRoom(tx, eventId, { per_minute: perMinute });
  await executeAll(tx, [insertRate(eventId, { since: at, fromPlace: exactWatermark(room, at), perMinute }), ...tellPages([eventId])]);
}
