import { type Move, release, type Stock, type StockLine, type StockToLock, sell, sellHeld, takeBack } from '../catalog/stock.ts';
import type { Act } from '../kernel/act.ts';
import { changePasskeyCounters } from '../passkeys/passkey-counters.ts';
import type { Statement } from '../postgres/pipeline.ts';
import { giveBack } from './buyer-limits.ts';
import { releaseNetworks } from './network-holds.ts';
import { stockLinesOf, unlockedIn } from './order.ts';
import { moveStatus } from './order-reads.sql.ts';
import type { OrderRow } from './order-row.ts';
import { takeLines } from './take-lines.ts';

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

/** The counters that these orders stand on. */
export function countersOf(orders: readonly OrderRow[]): StockToLock {
  const lines = orders.flatMap(stockLinesOf);
  return {
    eventIds: [...new Set(orders.map(({ event_id }) => event_id))],
    itemIds: [...new Set(lines.map(({ itemId }) => itemId))],
    sessionIds: [...new Set(lines.flatMap(({ sessionIds }) => sessionIds))],
    itemsOfAnySession: [],
  };
}

export function applyTo(stock: Stock, settlement: Settlement): void {
  for (const line of stockLinesOf(settlement.order)) stock.move(line, movesOf(settlement).stock);
}

/** Everything but the stock, which is written with what else was done to it. */
export function statementsOf(settlements: readonly Settlement[]): Statement[] {
  if (settlements.length === 0) return [];
  const passkeys = settlements.flatMap((settlement) => {
    const { passkey_id: id, lines } = settlement.order;
    const { used, held } = movesOf(settlement).passkey;
    return id === null ? [] : [{ id, used: used * unlockedIn(lines), held: held * unlockedIn(lines) }];
  });
  return [
    moveStatus(settlements.map(({ order, to, at }) => ({ id: order.id, status: to, at }))),
    ...changePasskeyCounters(passkeys),
    ...releaseNetworks(settlements),
    ...giveBack(settlements.filter(({ to }) => to !== 'approved').map(({ order }) => order)),
  ];
}

/** For the audit log. */
export const changeOf = (act: Act, { order, to }: Settlement) => ({
  act,
  change: { subject: 'order', id: order.id, eventId: order.event_id, before: { status: order.status }, after: { status: to } },
});

/** Whether all lines of an order could be taken now. */
export function fits(stock: Stock, lines: readonly StockLine[], at: Date): boolean {
  if (takeLines(stock, lines, at, sell).length > 0) return false;
  for (const line of lines) stock.move(line, takeBack);
  return true;
}
