import type { OrderRow } from '../orders/order.ts';
import type { ReacquiredLimits } from '../orders/reacquired-limits.ts';

/** The maximum time between the expiry of the hold and the confirmation of the payment. Later payments are always refunded. */
const maxLateMs = 24 * 60 * 60_000;

/**
 * Returns the reason why a payment that started during the hold cannot buy the order, or null. If the hold has expired since, its tickets
 * must still be available. If the payment was also confirmed after the expiry, the same order must be possible now: its items on sale, its
 * passkey valid.
 */
export function refuseLatePayment(reacquired: ReacquiredLimits, order: OrderRow, confirmedAt: Date): string | null {
  const lateMs = confirmedAt.getTime() - order.expires_at.getTime();
  if (lateMs > maxLateMs) return 'more than 24 hours after the hold expired';
  return (lateMs >= 0 ? reacquired.refuseOffSale(order) : null) ?? reacquired.refuseUnavailable(order);
}
