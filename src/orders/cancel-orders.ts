import { lockStock } from '../catalog/stock.ts';
import type { Act } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import { recordAll } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { executeAll } from '../postgres/pipeline.ts';
import type { Order } from './contract.ts';
import { describeOrder, lockOrders, mayUse, statusAt } from './order.ts';
import type { OrderRow } from './order-row.ts';
import { applyTo, changeOf, countersOf, type Settlement, statementsOf } from './settle-orders.ts';

export interface Cancellation {
  act: Act;
  id: number;
  secret: string | undefined;
}

/** Orders that are not paid and not wanted any more: what they held is free with this transaction. */
export async function cancelOrders(tx: Tx, requests: readonly Cancellation[]): Promise<(Order | Problem)[]> {
  const ids = [...new Set(requests.map(({ id }) => id))];
  const orders = await lockOrders(tx, ids);
  const stock = await lockStock(tx, countersOf([...orders.values()]));
  const cancelled: (Settlement & { act: Act })[] = [];
  const outcomes = requests.map((request): Order | Problem => {
    const { act, id } = request;
    const order = orders.get(id);
    const against = refuse(order, request);
    if (against || !order) return against ?? new Problem('not_found');
    const settlement: Settlement = { order, to: 'cancelled', at: act.at };
    applyTo(stock, settlement);
    cancelled.push({ ...settlement, act });
    const after: OrderRow = { ...order, status: 'cancelled' };
    orders.set(id, after);
    return describeOrder(after, act.at);
  });
  const changes = recordAll(cancelled.map((each) => changeOf(each.act, each)));
  if (cancelled.length > 0) await executeAll(tx, [...stock.statements(), ...statementsOf(cancelled), ...changes]);
  return outcomes;
}

/** Cancels orders that are held. They are locked. */
export async function cancelHolds(tx: Tx, act: Act, orders: readonly OrderRow[]): Promise<void> {
  if (orders.length === 0) return;
  const stock = await lockStock(tx, countersOf(orders));
  const cancelled = orders.map((order): Settlement => ({ order, to: 'cancelled', at: act.at }));
  for (const settlement of cancelled) applyTo(stock, settlement);
  await executeAll(tx, [...stock.statements(), ...statementsOf(cancelled), ...recordAll(cancelled.map((each) => changeOf(act, each)))]);
}

function refuse(order: OrderRow | undefined, { act, secret }: Cancellation): Problem | null {
  if (!order || !mayUse(order, act.actor, secret, 'order.sell')) return new Problem('not_found');
  const status = statusAt(order, act.at);
  return status === 'held' ? null : new Problem('wrong_state', `The order is ${status}`);
}
