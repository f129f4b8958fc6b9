import { type Move, release, type Stock, type StockLine, type StockToLock, sell, sellHeld, takeBack } from '../catalog/stock.ts';
import { movePasskeys } from '../passkeys/passkey-counters.ts';
import type { Statement } from '../postgres/together.ts';
import { giveBack } from './buyer-limits.ts';
import { stockLinesOf } from './order.ts';
import { moveStatus, type OrderRow } from './order-rows.sql.ts';

/** What becomes of an order that was placed before. */
export interface Settlement {
  order: OrderRow;
  to: 'approved' | 'expired' | 'cancelled';
  at: Date;
}

/** From the hold to the sale, from the hold to nobody, or anew from what is free. */
function movesOf({ order, to }: Settlement): { stock: Move; passkey: { used: number; held: number } } {
  if (to !== 'approved') return { stock: release, passkey: { used: 0, held: -1 } };
  return order.status === 'held' ? { stock: sellHeld, passkey: { used: 1, held: -1 } } : { stock: sell, passkey: { used: 1, held: 0 } };
}

const none: StockToLock = { itemIds: [], sessionIds: [], itemsOfAnySession: [] };

/** The counters that these orders stand on, beside others that are asked for. */
export function countersOf(orders: readonly OrderRow[], others: StockToLock = none): StockToLock {
  const lines = orders.flatMap(stockLinesOf);
  return {
    itemIds: [...new Set([...others.itemIds, ...lines.map(({ itemId }) => itemId)])],
    sessionIds: [...new Set([...others.sessionIds, ...lines.flatMap(({ sessionIds }) => sessionIds)])],
    itemsOfAnySession: others.itemsOfAnySession,
  };
}

export function applyTo(stock: Stock, settlement: Settlement): void {
  for (const line of stockLinesOf(settlement.order)) stock.move(line, movesOf(settlement).stock);
}

/** Everything but the stock, which is written with what else was done to it. */
export function statementsOf(settlements: readonly Settlement[]): Statement[] {
  if (settlements.length === 0) return [];
  const passkeys = settlements.flatMap((settlement) => {
    const { order } = settlement;
    if (order.passkey_id === null) return [];
    const { used, held } = movesOf(settlement).passkey;
    const n = order.lines.reduce((sum, line) => sum + (line.unlocked ? line.quantity : 0), 0);
    return [{ id: order.passkey_id, used: used * n, held: held * n }];
  });
  return [
    moveStatus(settlements.map(({ order, to, at }) => ({ id: order.id, status: to, at }))),
    ...movePasskeys(summed(passkeys)),
    ...giveBack(settlements.filter(({ to }) => to !== 'approved').map(({ order }) => order)),
  ];
}

function summed(moves: readonly { id: number; used: number; held: number }[]) {
  const sums = new Map<number, { id: number; used: number; held: number }>();
  for (const { id, used, held } of moves) {
    const known = sums.get(id) ?? { id, used: 0, held: 0 };
    sums.set(id, { id, used: known.used + used, held: known.held + held });
  }
  return [...sums.values()];
}

/** Whether all lines of an order could be taken now, one after the other: they may share limits. */
export function fits(stock: Stock, lines: readonly StockLine[], at: Date): boolean {
  const taken: StockLine[] = [];
  const enough = lines.every((line) => {
    const session = line.sessionIds.length === 1 ? { session: line.sessionIds[0] as number } : {};
    const remaining = stock.item(line.itemId)?.remaining({ at, channel: line.channel, ...session }) ?? null;
    if (remaining !== null && remaining < line.quantity) return false;
    stock.move(line, sell);
    taken.push(line);
    return true;
  });
  for (const line of taken) stock.move(line, takeBack);
  return enough;
}
