import { type Move, release, type Stock, type StockToLock, sell, sellHeld } from '../catalog/stock.ts';
import type { Act } from '../kernel/act.ts';
import { changePasskeyCounters } from '../passkeys/passkey-counters.ts';
import type { Statement } from '../postgres/pipeline.ts';
import { releaseBuyerLimits } from './buyer-limits.ts';
import { releaseNetworks } from './network-holds.ts';
import { countPasskeyTickets, type OrderRow, stockLinesOf } from './order.ts';
import { updateStatuses } from './order-writes.sql.ts';

/** A change of the status of an existing order. */
export interface StatusChange {
  order: OrderRow;
  to: 'approved' | 'expired' | 'cancelled';
  at: Date;
}

/**
 * Returns how a change moves the counters. An expired order has released its tickets, so a late approval sells tickets that are free now.
 */
function movesOf({ order, to }: StatusChange): { stock: Move; passkey: { used: number; held: number } } {
  if (to !== 'approved') return { stock: release, passkey: { used: 0, held: -1 } };
  return order.status === 'held' ? { stock: sellHeld, passkey: { used: 1, held: -1 } } : { stock: sell, passkey: { used: 1, held: 0 } };
}

/** Returns the ids of the events, items and sessions whose counters change with these orders. */
export function stockToLock(orders: readonly OrderRow[]): StockToLock {
  return {
    eventIds: [...new Set(orders.map(({ event_id }) => event_id))],
    items: orders.flatMap((order) => stockLinesOf(order).map(({ itemId }) => ({ eventId: order.event_id, id: itemId }))),
    sessions: orders.flatMap((order) =>
      stockLinesOf(order).flatMap(({ sessionIds }) => sessionIds.map((id) => ({ eventId: order.event_id, id }))),
    ),
    itemsOfAnySession: [],
  };
}

export function applyToStock(stock: Stock, change: StatusChange): void {
  for (const line of stockLinesOf(change.order)) stock.move(line, movesOf(change).stock);
}

/** Returns the statements that write the status and all counters except the stock. The caller writes the stock once, after all changes. */
export function statementsOf(changes: readonly StatusChange[]): Statement[] {
  if (changes.length === 0) return [];
  const passkeys = changes.flatMap((change) => {
    const { event_id: eventId, passkey_id: id, lines } = change.order;
    const { used, held } = movesOf(change).passkey;
    const tickets = countPasskeyTickets(lines);
    return id === null ? [] : [{ eventId, id, used: used * tickets, held: held * tickets }];
  });
  return [
    updateStatuses(changes.map(({ order, to, at }) => ({ eventId: order.event_id, id: order.id, status: to, at }))),
    ...changePasskeyCounters(passkeys),
    ...releaseNetworks(changes),
    ...releaseBuyerLimits(changes.filter(({ to }) => to !== 'approved').map(({ order }) => order)),
  ];
}

export const auditEntryOf = (act: Act, { order, to }: StatusChange) => ({
  act,
  change: { subject: 'order' as const, id: order.id, eventId: order.event_id, before: { status: order.status }, after: { status: to } },
});
