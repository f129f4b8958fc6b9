import type { Tx } from '../postgres/database.ts';
import { lockAvailable, markAssigned } from './codes.sql.ts';

export interface TakenCode {
  id: number;
  code: string;
}

/**
 * Hands out so many codes of an item, each to nobody else, and waits for no one; null, and nothing taken, when there are not
 * enough. Who sells with them records it.
 */
export async function takeCodes(tx: Tx, itemId: number, count: number): Promise<TakenCode[] | null> {
  const taken = await lockAvailable(tx, itemId, count);
  if (taken.length < count) return null;
  await markAssigned(
    tx,
    taken.map(({ id }) => id),
  );
  return taken;
}
