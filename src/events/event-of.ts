import type { FindScope } from '../accounts/gate.ts';
import { Problem } from '../kernel/problem.ts';
import type { Database, Tx } from '../postgres/database.ts';
import { type LookedUpTable, selectEventsOf, selectScopeOf } from './event-of.sql.ts';

/*
 * Tables are keyed by event, so every statement needs the id of the event. A request may name only the id of an item, passkey, order or
 * export. These functions find its event first.
 */

/** Finds the event and the producer of an object. Permissions on the object are permissions on its event. */
export const findScopeOf =
  (table: LookedUpTable): FindScope =>
  (db, id) =>
    selectScopeOf(db, table, id);

/** Maps ids to the ids of their events. Objects that do not exist are left out. */
export const findEventsOf = (db: Database | Tx, table: LookedUpTable, ids: readonly number[]): Promise<ReadonlyMap<number, number>> =>
  selectEventsOf(db, table, ids);

export async function requireEventOf(tx: Tx, table: LookedUpTable, id: number): Promise<number> {
  const eventId = (await selectEventsOf(tx, table, [id])).get(id);
  if (eventId === undefined) throw new Problem('not_found');
  return eventId;
}
