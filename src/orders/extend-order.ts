import type { Act } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import type { Order } from './contract.ts';
import { describeOrder, holdExpired, requireOrder, statusAt } from './order.ts';
import { extendHold, lockOrderRows } from './order-reads.sql.ts';
import { holdMs } from './place-orders.ts';

/** Once more the time of a hold, counted from its end. */
export async function extendOrder(tx: Tx, act: Act, id: number, secret: string | undefined): Promise<Order> {
  await lockOrderRows(tx, [id]);
  const order = await requireOrder(tx, act, id, secret, 'order.sell');
  const status = statusAt(order, act.at);
  if (status === 'expired') throw holdExpired();
  if (status !== 'held') throw new Problem('wrong_state', `The order is ${status}`);
  if (order.extended) throw new Problem('wrong_state', 'The hold was extended before');
  const expiresAt = new Date(order.expires_at.getTime() + holdMs);
  await extendHold(tx, id, expiresAt);
  const change = { subject: 'order' as const, id, eventId: order.event_id, before: { expiresAt: order.expires_at }, after: { expiresAt } };
  await record(tx, act, change);
  return describeOrder({ ...order, expires_at: expiresAt, extended: true }, act.at);
}
