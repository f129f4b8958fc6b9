import type { Tx } from '../postgres/database.ts';
import type { Statement } from '../postgres/pipeline.ts';
import { deleteReturningGuests, selectEntries, subtractAway, subtractEntries, subtractGuests } from './refund-entries.sql.ts';

/**
 * Returns the statements that subtract used tickets from the sums of the entry report, because a refunded ticket is no guest any more. The
 * scans themselves stay. The caller has locked the door, so the tickets cannot be used or undone before the commit. The lock of the door
 * also protects the sums.
 */
export async function refundEntries(tx: Tx, eventId: number, used: readonly { id: number; itemId: number }[]): Promise<Statement[]> {
  if (used.length === 0) return [];
  const ids = used.map(({ id }) => id);
  const entries = await selectEntries(tx, eventId, ids);
  return [
    subtractEntries(eventId, entries),
    subtractGuests(eventId, used),
    subtractAway(eventId, ids),
    deleteReturningGuests(eventId, ids),
  ];
}
