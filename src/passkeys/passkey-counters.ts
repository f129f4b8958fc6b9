import type { Statement } from '../postgres/pipeline.ts';
import { movePasskeyCounters } from './passkeys.sql.ts';

interface Move {
  id: number;
  used: number;
  held: number;
}

/**
 * How many tickets passkeys have opened, more or less by so many; beyond their limits the database refuses. Moves of one passkey are
 * summed, as one statement changes a row only once.
 */
export function movePasskeys(moves: readonly Move[]): Statement[] {
  const sums = new Map<number, Move>();
  for (const { id, used, held } of moves) {
    const known = sums.get(id) ?? { id, used: 0, held: 0 };
    sums.set(id, { id, used: known.used + used, held: known.held + held });
  }
  const changed = [...sums.values()].filter(({ used, held }) => used !== 0 || held !== 0).toSorted((a, b) => a.id - b.id);
  return changed.length > 0 ? [movePasskeyCounters(changed)] : [];
}
