import { type Move, release, type Stock, type StockToLock, sell, sellHeld } from '../catalog/stock.ts';
import type { Act } from '../kernel/act.ts';
import { changePasskeyCounters } from '../passkeys/passkey-counters.ts';
import type { Statement } from '../postgres/pipeline.ts';
import { releaseBuyerLimits } from './buyer-limits.ts';
import { releaseNetworks } from './network-holds.ts';
import { type OrderRow, stockLinesOf, unlockedIn } from './order.ts';
import { updateStatuses } from './order-writes.sql.ts';

/** The new status of an order that was placed before. */
export interface StatusChange {
  order: OrderRow;
  to: 'approved' | 'expired' | 'cancelled';
  at: Date;
}

/** How the counters move. An expired order has released its stock, so a late approval sells it from the free stock. */
function movesOf({ order, to }: StatusChange): { stock: Move; passkey: { used: number; held: number } } {
  if (to !== 'approved') return { stock: release, passkey: { used: 0, held: -1 } };
  return order.status === 'held' ? { stock: sellHeld, passkey: { used: 1, held: -1 } } : { stock: sell, passkey: { used: 1, held: 0 } };
}

/** The stock counters that these orders change. */
export function countersOf(orders: readonly OrderRow[]): StockToLock {
  const lines = orders.flatMap(stockLinesOf);
  return {
    eventIds: [...new Set(orders.map(({ event_id }) => event_id))],
    itemIds: [...new Set(lines.map(({ itemId }) => itemId))],
    sessionIds: [...new Set(lines.flatMap(({ sessionIds }) => sessionIds))],
    itemsOfAnySession: [],
  };
}

export function applyToStock(stock: Stock, change: StatusChange): void {
  for (const line of stockLinesOf(change.order)) stock.move(line, movesOf(change).stock);
}

/** Writes the status and all counters except the stock. The caller writes the stock once, after all changes to it. */
export function statementsOf(changes: readonly StatusChange[]): Statement[] {
  if (changes.length === 0) return [];
  const passkeys = changes.flatMap((change) => {
    const { passkey_id: id, lines } = change.order;
    const { used, held } = movesOf(change).passkey;
    return id === null ? [] : [{ id, used: used * unlockedIn(lines), held: held * unlockedIn(lines) }];
  });
  return [
    updateStatuses(changes.map(({ order, to, at }) => ({ id: order.id, status: to, at }))),
    ...changePasskeyCounters(passkeys),
    ...releaseNetworks(changes),
    ...releaseBuyerLimits(changes.filter(({ to }) => to !== 'approved').map(({ order }) => order)),
  ];
}

export const auditEntryOf = (act: Act, { order, to }: StatusChange) => ({
  act,
  change: { subject: 'order' as const, id: order.id, eventId: order.event_id, before: { status: order.status }, after: { status: to } },
});
