import type { Tx } from '../postgres/database.ts';
import { lockAvailable, updateStatus } from './codes.sql.ts';

export interface AssignedCode {
  id: number;
  code: string;
}

/**
 * Assigns available codes of an item. Skips codes that other transactions have locked, so it never waits and never returns the same code
 * twice. Returns null and assigns nothing if there are too few codes. The caller writes the audit entry.
 */
export async function assignCodes(tx: Tx, eventId: number, itemId: number, count: number): Promise<AssignedCode[] | null> {
  const taken = await lockAvailable(tx, eventId, itemId, count);
  if (taken.length < count) return null;
  const ids = taken.map(({ id }) => id);
  await updateStatus(eventId, ids, 'assigned').execute(tx);
  return taken;
}
