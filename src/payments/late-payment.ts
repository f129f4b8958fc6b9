import type { OrderRow } from '../orders/order-row.ts';
import type { ReacquiredLimits } from '../orders/reacquired-limits.ts';

/** A payment that is confirmed later than this after the hold expired is refunded, whatever is on sale. */
const mostLateMs = 24 * 60 * 60_000;

/**
 * Why a payment that was begun during the hold no longer buys the order; null if it does. A payment that was confirmed during the hold needs
 * only what the order gave back since. A later one needs the order to be one that could be placed today.
 */
export function refuseLate(again: ReacquiredLimits, order: OrderRow, confirmedAt: Date): string | null {
  const lateMs = confirmedAt.getTime() - order.expires_at.getTime();
  if (lateMs > mostLateMs) return 'more than 24 hours after the hold expired';
  return (lateMs >= 0 ? again.refuseOffSale(order) : null) ?? again.refuseTaken(order);
}
