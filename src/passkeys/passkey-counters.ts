import type { Statement } from '../postgres/together.ts';
import { lockPasskeysLeft, movePasskeyCounters } from './passkeys.sql.ts';

export { lockPasskeysLeft };

/** How many tickets passkeys have opened, more or less by so many; beyond their limits the database refuses. */
export function movePasskeys(moves: readonly { id: number; used: number; held: number }[]): Statement[] {
  const changed = moves.filter(({ used, held }) => used !== 0 || held !== 0).toSorted((a, b) => a.id - b.id);
  return changed.length > 0 ? [movePasskeyCounters(changed)] : [];
}
