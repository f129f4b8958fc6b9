import type { DisputeRow } from '../orders/dispute.ts';
import type { ProviderDispute } from './providers/port.ts';

/** A bank may change its mind about a dispute that was lost. */
const ranks: Record<DisputeRow['status'], number> = { open: 0, lost: 1, won: 2 };

type Order = Pick<DisputeRow, 'status' | 'movements'>;

/**
 * Whether a report is newer than what is known. Reports arrive in any order, and have no time. But the movements of money are never taken
 * back, and a dispute closes without a movement if the buyer keeps the money.
 */
const isNewer = (reported: Order, known: Order): boolean =>
  reported.movements === known.movements ? ranks[reported.status] > ranks[known.status] : reported.movements > known.movements;

/** Returns the dispute after a report, or null if the report says nothing new. */
export function decideDispute(
  known: DisputeRow | undefined,
  { providerId, status, amount, fee, reason, movements }: ProviderDispute,
  { paymentId, at }: { paymentId: number; at: Date },
): DisputeRow | null {
  if (known && !isNewer({ status, movements }, known)) return null;
  const time = at.toISOString();
  return {
    id: known?.id ?? 0,
    paymentId,
    providerId,
    amount,
    fee,
    reason,
    status,
    movements,
    openedAt: known?.openedAt ?? time,
    closedAt: status === 'open' ? null : time,
  };
}
