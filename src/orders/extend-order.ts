import { requireEventOf } from '../events/event-of.ts';
import type { Act } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { describeOrder, holdExpired, holdMs, statusAt } from './order.ts';
import { requireOrder } from './order-access.ts';
import { lockOrderRows } from './order-reads.sql.ts';
import type { Order } from './order-schemas.ts';
import { extendHold } from './order-writes.sql.ts';

/** Extends a hold by 10 minutes from `expires_at`. A hold can be extended only once. */
export async function extendOrder(tx: Tx, act: Act, id: number, secret: string | undefined): Promise<Order> {
  const eventId = await requireEventOf(tx, 'ticket_order', id);
  await lockOrderRows(tx, [{ eventId, id }]);
  const order = await requireOrder(tx, act, id, secret, 'order.sell');
  const status = statusAt(order, act.at);
  if (status === 'expired') throw holdExpired();
  if (status !== 'held') throw new Problem('wrong_state', `The order is ${status}. Only held orders can be extended.`);
  if (order.extended) throw new Problem('wrong_state', 'This hold was already extended. Pay before it expires, or place a new order.');
  const expiresAt = new Date(order.expires_at.getTime() + holdMs);
  await extendHold(tx, { eventId, id }, expiresAt);
  const change = { subject: 'order' as const, id, eventId, before: { expiresAt: order.expires_at }, after: { expiresAt } };
  await record(tx, act, change);
  return describeOrder({ ...order, expires_at: expiresAt, extended: true }, act);
}
