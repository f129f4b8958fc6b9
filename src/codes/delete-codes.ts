import { requireEventOf } from '../events/event-of.ts';
import { countDeletedCodes, lockDoor, lockEvent } from '../events/lock-event.ts';
import type { Act } from '../kernel/act.ts';
import { Problem, ruleViolation } from '../kernel/problem.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { toCode } from './code.ts';
import {
  type CodeCounts,
  countCodesByItem,
  deleteAvailable,
  deleteCodeRow,
  hasItem,
  lockItemsOfCodes,
  selectCodeForUpdate,
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
  // The locks keep the status of the codes, so exactly the codes are deleted that were counted as available.
  const result = describe(await countCodesByItem(tx, eventId, filter));
  if (result.deleted > 0) {
    await deleteAvailable(tx, eventId, filter);
    await countDeletedCodes(eventId).execute(tx);
  }
  await record(tx, act, { subject: 'codes', id: eventId, eventId, before: { filter, ...result } });
  return result;
}

function describe(counts: readonly CodeCounts[]): Deleted {
  const items = counts.map(({ itemId, name, available, taken }) => ({ itemId, name, deleted: available, kept: taken }));
  const sum = (field: 'deleted' | 'kept') => items.reduce((total, item) => total + item[field], 0);
  return { deleted: sum('deleted'), kept: sum('kept'), items };
}

export async function deleteCode(tx: Tx, act: Act, itemId: number, codeId: number): Promise<void> {
  const eventId = await requireEventOf(tx, 'item', itemId);
  await lockDoor(eventId).execute(tx);
  await lockItemsOfCodes(tx, eventId, { itemId });
  const row = await selectCodeForUpdate(tx, eventId, itemId, codeId);
  if (!row) throw new Problem('not_found');
  if (row.status !== 'available') throw new Problem('code_in_use', `The code is ${row.status}. Only available codes can be deleted.`);
  await deleteCodeRow(tx, eventId, codeId);
  await countDeletedCodes(eventId).execute(tx);
  await record(tx, act, { subject: 'code', id: codeId, eventId, before: toCode(row) });
}
