import { lockStock } from '../catalog/stock.ts';
import type { Act } from '../kernel/act.ts';
import type { RowKey } from '../kernel/ids-by-event.ts';
import { Problem } from '../kernel/problem.ts';
import { recordAll } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { executeAll } from '../postgres/pipeline.ts';
import { describeOrder, type OrderRow, statusAt } from './order.ts';
import { lockOrders, mayUse } from './order-access.ts';
import type { Order } from './order-schemas.ts';
import { applyToStock, auditEntryOf, type StatusChange, statementsOf, stockToLock } from './status-change.ts';

export interface Cancellation extends RowKey {
  act: Act;
  secret: string | undefined;
}

/** Cancels held orders and releases their stock. Returns one result per request, in the same order. */
export async function cancelOrders(tx: Tx, requests: readonly Cancellation[]): Promise<(Order | Problem)[]> {
  const orders = await lockOrders(tx, requests);
  const stock = await lockStock(tx, stockToLock([...orders.values()]));
  const cancelled: (StatusChange & { act: Act })[] = [];
  const outcomes = requests.map((request): Order | Problem => {
    const { act, id } = request;
    const order = orders.get(id);
    const refusal = refuse(order, request);
    if (refusal || !order) return refusal ?? new Problem('not_found');
    const change: StatusChange = { order, to: 'cancelled', at: act.at };
    applyToStock(stock, change);
    cancelled.push({ ...change, act });
    const after: OrderRow = { ...order, status: 'cancelled' };
    orders.set(id, after);
    return describeOrder(after, act);
  });
  const auditEntries = recordAll(cancelled.map((each) => auditEntryOf(each.act, each)));
  if (cancelled.length > 0) await executeAll(tx, [...stock.statements(), ...statementsOf(cancelled), ...auditEntries]);
  return outcomes;
}

/** Cancels held orders and releases their stock. The caller has locked the orders. */
export async function cancelHolds(tx: Tx, act: Act, orders: readonly OrderRow[]): Promise<void> {
  if (orders.length === 0) return;
  const stock = await lockStock(tx, stockToLock(orders));
  const cancelled = orders.map((order): StatusChange => ({ order, to: 'cancelled', at: act.at }));
  for (const change of cancelled) applyToStock(stock, change);
  await executeAll(tx, [...stock.statements(), ...statementsOf(cancelled), ...recordAll(cancelled.map((each) => auditEntryOf(act, each)))]);
}

function refuse(order: OrderRow | undefined, { act, secret }: Cancellation): Problem | null {
  if (!order || !mayUse(order, act.actor, secret, 'order.sell')) return new Problem('not_found');
  const status = statusAt(order, act.at);
  return status === 'held' ? null : new Problem('wrong_state', `The order is ${status}. Only held orders can be cancelled.`);
}
