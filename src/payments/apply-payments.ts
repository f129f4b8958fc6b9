import type { Act } from '../kernel/act.ts';
import { lockLateLimits } from '../orders/approve-orders.ts';
import { lockOrders } from '../orders/order-access.ts';
import type { Tx } from '../postgres/database.ts';
import { type Applied, PaymentBatch } from './payment-batch.ts';
import type { ProviderPayment } from './providers/port.ts';

/** Applies what a provider has responded about a payment. */
export async function applyPayment(
  tx: Tx,
  act: Act,
  { eventId, orderId, reference }: { eventId: number; orderId: number; reference: string },
  reported: ProviderPayment,
): Promise<Applied> {
  const orders = await lockOrders(tx, [{ eventId, id: orderId }]);
  const batch = new PaymentBatch(act, orders, await lockLateLimits(tx, [...orders.values()], act.at));
  const applied = await batch.apply(tx, orderId, reference, reported, act.at);
  if (applied.changed) await batch.write(tx);
  return applied;
}
