import { Problem } from '../kernel/problem.ts';
import type { Tx } from '../postgres/database.ts';
import type { Statement } from '../postgres/pipeline.ts';
import { type EventRow, increaseCodesDeleted, lockDoorRow, selectEventForUpdate } from './events.sql.ts';
import { selectSessionIds } from './sessions.sql.ts';

/**
 * Serialises changes to the structure of an event: its sessions, items, crew and triggers. Take this lock before other locks. Orders do not
 * take this lock.
 */
export async function lockEvent(tx: Tx, id: number): Promise<EventRow> {
  const event = await selectEventForUpdate(tx, id);
  if (!event) throw new Problem('not_found');
  return event;
}

/**
 * Serialises check-ins and all changes that affect them, such as refunds. Take this lock before the locks of stock and codes. Data that is
 * read under this lock does not change until the transaction ends.
 */
export const lockDoor = (eventId: number): Statement => lockDoorRow(eventId);

/** Counts a deletion of imported codes. Devices at the door then download all codes again. The caller holds the lock of the door. */
export const countDeletedCodes = (eventId: number): Statement => increaseCodesDeleted(eventId);

/** Returns the ids that are not sessions of the event. */
export async function unknownSessions(tx: Tx, eventId: number, sessionIds: readonly number[]): Promise<number[]> {
  const known = new Set(await selectSessionIds(tx, eventId));
  return sessionIds.filter((id) => !known.has(id));
}
