import type { Tx } from '../postgres/database.ts';
import { movePasskeyCounters } from './passkeys.sql.ts';

/** How many tickets passkeys have opened, more or less by so many; beyond their limits the database refuses. */
export async function movePasskeys(tx: Tx, moves: readonly { id: number; used: number; held: number }[]): Promise<void> {
  const changed = moves.filter(({ used, held }) => used !== 0 || held !== 0).toSorted((a, b) => a.id - b.id);
  if (changed.length > 0) await movePasskeyCounters(tx, changed);
}
