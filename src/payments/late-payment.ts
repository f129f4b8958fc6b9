import type { OrderRow } from '../orders/order.ts';
import type { ReacquiredLimits } from '../orders/reacquired-limits.ts';

/** A payment that is confirmed later than this after the hold expired is always refunded. */
const maxLateMs = 24 * 60 * 60_000;

/**
 * Why a payment that started during the hold cannot buy the order; null if it can. A payment that was confirmed during the hold only has to
 * reacquire what the order has released since. For a later one, the order must also be one that could be placed now.
 */
export function refuseLatePayment(reacquired: ReacquiredLimits, order: OrderRow, confirmedAt: Date): string | null {
  const lateMs = confirmedAt.getTime() - order.expires_at.getTime();
  if (lateMs > maxLateMs) return 'more than 24 hours after the hold expired';
  return (lateMs >= 0 ? reacquired.refuseOffSale(order) : null) ?? reacquired.refuseUnavailable(order);
}
