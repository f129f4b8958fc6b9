import { lockDoor, lockEvent } from '../events/lock-event.ts';
import type { Act } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { toCode } from './code.ts';
import { countTaken, deleteAvailable, deleteCodeRow, hasItem, lockItemsOfCodes, selectCodeForUpdate, selectEventOf } from './codes.sql.ts';
import type { Deleted, DeleteQuery } from './contract.ts';

/** What belongs to a ticket stays, whether it was used yet or not. One audit entry tells how many there were, not which. */
export async function deleteCodes(tx: Tx, act: Act, eventId: number, filter: DeleteQuery): Promise<Deleted> {
  await lockEvent(tx, eventId);
  // A filter that cannot match is a mistake of the sender's, who would take "0 deleted" for done.
  const namesItem = filter.itemId !== undefined || filter.name !== undefined;
  if (namesItem && !(await hasItem(tx, eventId, filter))) throw new Problem('not_found', 'The event has no such item');
  // It is told of codes that are deleted.
  await lockDoor(eventId).execute(tx);
  await lockItemsOfCodes(tx, eventId, filter);
  const deleted = await deleteAvailable(tx, eventId, filter);
  const kept = await countTaken(tx, eventId, filter);
  await record(tx, act, { subject: 'codes', id: eventId, eventId, before: { filter, deleted, kept } });
  return { deleted, kept };
}

export async function deleteCode(tx: Tx, act: Act, itemId: number, codeId: number): Promise<void> {
  const eventId = await selectEventOf(tx, itemId);
  if (eventId === undefined) throw new Problem('not_found');
  await lockDoor(eventId).execute(tx);
  await lockItemsOfCodes(tx, eventId, { itemId });
  const row = await selectCodeForUpdate(tx, itemId, codeId);
  if (!row) throw new Problem('not_found');
  if (row.status !== 'available') throw new Problem('code_in_use', `The code is ${row.status}; only available ones can be deleted`);
  await deleteCodeRow(tx, codeId);
  await record(tx, act, { subject: 'code', id: codeId, eventId: row.event_id, before: toCode(row) });
}
