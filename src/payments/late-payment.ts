import type { OrderRow } from '../orders/order.ts';
import type { ReacquiredLimits } from '../orders/reacquired-limits.ts';

/** The maximum time between the expiry of the hold and the confirmation of the payment. Later payments are always refunded. */
const maxLateMs = 24 * 60 * 60_000;

/**
 * Returns the reason why a payment that started during the hold cannot be accepted, or null. The tickets must still be available. If the
 * payment was confirmed after the hold expired, the items must also still be on sale and the passkey valid, and not more than 24 hours may
 * have passed.
 */
export function refuseLatePayment(reacquired: ReacquiredLimits, order: OrderRow, confirmedAt: Date): string | null {
  const lateMs = confirmedAt.getTime() - order.expires_at.getTime();
  if (lateMs > maxLateMs) return 'more than 24 hours after the hold expired';
  return (lateMs >= 0 ? reacquired.refuseOffSale(order) : null) ?? reacquired.refuseUnavailable(order);
}
