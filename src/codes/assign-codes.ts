import type { Tx } from '../postgres/database.ts';
import { lockAvailable, markAssigned } from './codes.sql.ts';

export interface AssignedCode {
  id: number;
  code: string;
}

/**
 * Assigns available codes of an item. Never waits for locks, and never returns a code that another transaction takes. Returns null and takes
 * nothing if there are too few. The caller writes the audit entry.
 */
export async function assignCodes(tx: Tx, itemId: number, count: number): Promise<AssignedCode[] | null> {
  const taken = await lockAvailable(tx, itemId, count);
  if (taken.length < count) return null;
  await markAssigned(
    tx,
    taken.map(({ id }) => id),
  );
  return taken;
}
