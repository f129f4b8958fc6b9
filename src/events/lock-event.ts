import { Problem } from '../kernel/problem.ts';
import type { Tx } from '../postgres/database.ts';
import type { Statement } from '../postgres/pipeline.ts';
import { doorForUpdate, type EventRow, selectEventForUpdate } from './events.sql.ts';
import { selectSessionIds } from './sessions.sql.ts';

/**
 * Whoever changes how the parts of an event belong together takes this lock first: such changes come one after the other.
 * Selling does not wait for it.
 */
export async function lockEvent(tx: Tx, id: number): Promise<EventRow> {
  const event = await selectEventForUpdate(tx, id);
  if (!event) throw new Problem('not_found');
  return event;
}

/**
 * Whoever decides who comes in, or changes what that is decided by, takes this lock, and takes it before those of stock and codes: what is
 * read after it stays as it is.
 */
export const lockDoor = (eventId: number): Statement => doorForUpdate(eventId);

/** Those of the ids that are no session of the event. */
export async function unknownSessions(tx: Tx, eventId: number, sessionIds: readonly number[]): Promise<number[]> {
  const known = new Set(await selectSessionIds(tx, eventId));
  return sessionIds.filter((id) => !known.has(id));
}
