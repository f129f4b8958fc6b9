import type { Statement } from '../postgres/pipeline.ts';
import { type PasskeyCounterChange, updatePasskeyCounters } from './passkeys.sql.ts';

/**
 * Adds to the counters of passkeys; negative numbers subtract. The database rejects a counter above the limit. Changes of the same passkey
 * are summed first, because one UPDATE statement changes a row only once.
 */
export function changePasskeyCounters(changes: readonly PasskeyCounterChange[]): Statement[] {
  const sums = new Map<number, PasskeyCounterChange>();
  for (const { eventId, id, used, held } of changes) {
    const known = sums.get(id) ?? { eventId, id, used: 0, held: 0 };
    sums.set(id, { eventId, id, used: known.used + used, held: known.held + held });
  }
  const changed = [...sums.values()]
    .filter(({ used, held }) => used !== 0 || held !== 0)
    .toSorted((a, b) => a.eventId - b.eventId || a.id - b.id);
  return changed.length > 0 ? [updatePasskeyCounters(changed)] : [];
}
