import { lockDoor, lockEvent } from '../events/lock-event.ts';
import type { Act } from '../kernel/act.ts';
import { Problem, ruleViolation } from '../kernel/problem.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { toCode } from './code.ts';
import {
  type CodesOfItem,
  countTaken,
  deleteAvailable,
  deleteCodeRow,
  hasItem,
  lockItemsOfCodes,
  selectCodeForUpdate,
  selectEventOf,
  selectItemNames,
} from './codes.sql.ts';
import type { Deleted, DeleteFilter } from './contract.ts';

/**
 * Merges the filters of query and body. Different values for one filter are rejected, because choosing the wrong value could delete too
 * much.
 */
export function mergeFilters(query: DeleteFilter, body: DeleteFilter): DeleteFilter {
  for (const field of ['itemId', 'name', 'status'] as const) {
    const [inQuery, inBody] = [query[field], body[field]];
    if (inQuery !== undefined && inBody !== undefined && inQuery !== inBody) {
      throw ruleViolation(field, 'conflict', `${field} is ${inQuery} in the query and ${inBody} in the body. Send it only once.`);
    }
  }
  return { ...query, ...body };
}

/** Deletes only available codes. The audit log gets one entry with the numbers per item, without the codes. */
export async function deleteCodes(tx: Tx, act: Act, eventId: number, filter: DeleteFilter): Promise<Deleted> {
  await lockEvent(tx, eventId);
  // An item that does not exist returns 404, because the caller would mistake "0 deleted" for success.
  const namesItem = filter.itemId !== undefined || filter.name !== undefined;
  if (namesItem && !(await hasItem(tx, eventId, filter)))
    throw new Problem('not_found', 'The event has no item that matches the filters. Check itemId and name.');
  // Check-ins take the same lock, so that a code cannot be used while it is being deleted.
  await lockDoor(eventId).execute(tx);
  await lockItemsOfCodes(tx, eventId, filter);
  const deletedCodes = await deleteAvailable(tx, eventId, filter);
  const result = await describe(tx, deletedCodes, await countTaken(tx, eventId, filter));
  await record(tx, act, { subject: 'codes', id: eventId, eventId, before: { filter, ...result } });
  return result;
}

async function describe(tx: Tx, deletedCodes: readonly CodesOfItem[], keptCodes: readonly CodesOfItem[]): Promise<Deleted> {
  const [deleted, kept] = [byItem(deletedCodes), byItem(keptCodes)];
  const names = await selectItemNames(tx, [...new Set([...deleted.keys(), ...kept.keys()])]);
  const items = names.map(({ id, name }) => ({ itemId: id, name, deleted: deleted.get(id) ?? 0, kept: kept.get(id) ?? 0 }));
  return { deleted: sum(deletedCodes), kept: sum(keptCodes), items };
}

const byItem = (rows: readonly CodesOfItem[]) => new Map(rows.map(({ item_id, codes }) => [item_id, codes]));
const sum = (rows: readonly CodesOfItem[]): number => rows.reduce((total, { codes }) => total + codes, 0);

export async function deleteCode(tx: Tx, act: Act, itemId: number, codeId: number): Promise<void> {
  const eventId = await selectEventOf(tx, itemId);
  if (eventId === undefined) throw new Problem('not_found');
  await lockDoor(eventId).execute(tx);
  await lockItemsOfCodes(tx, eventId, { itemId });
  const row = await selectCodeForUpdate(tx, itemId, codeId);
  if (!row) throw new Problem('not_found');
  if (row.status !== 'available') throw new Problem('code_in_use', `The code is ${row.status}. Only available codes can be deleted.`);
  await deleteCodeRow(tx, codeId);
  await record(tx, act, { subject: 'code', id: codeId, eventId: row.event_id, before: toCode(row) });
}
