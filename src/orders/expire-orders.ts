import { lockedStock, type Stock } from '../catalog/stock.ts';
import type { Act } from '../kernel/act.ts';
import { recordAll } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { executeAll, runPipeline, type Step } from '../postgres/pipeline.ts';
import { countersOfExpiredHolds, type ExpiredFilter, lockExpiredHolds } from './expire-orders.sql.ts';
import type { OrderRow } from './order.ts';
import { applyToStock, auditEntryOf, type StatusChange, statementsOf } from './status-change.ts';

const batchSize = 1_000;

/**
 * Releases the stock of expired holds. Returns the number of expired orders. New orders do not depend on this job, because they release the
 * expired holds of their event themselves. The job keeps the availability on event pages up to date.
 */
export async function expireOrders(tx: Tx, act: Act): Promise<number> {
  const filter = { at: act.at, limit: batchSize };
  const stock = lockedStock({ eventIds: null, itemIds: [], sessionIds: [], itemsOfAnySession: [], also: countersOfExpiredHolds(filter) });
  const [expired, locked] = await runPipeline(tx, [lockedExpiredHolds(filter), stock]);
  await expire(tx, act, locked, expired);
  return expired.length;
}

/** Locks expired holds. The lock of their stock must follow in the same pipeline. */
export const lockedExpiredHolds = (filter: ExpiredFilter): Step<OrderRow[]> => ({
  statements: [lockExpiredHolds(filter)],
  read: ([rows = []]) => rows as OrderRow[],
});

export async function expire(tx: Tx, act: Act, stock: Stock, expired: readonly OrderRow[]): Promise<void> {
  const changes = expired.map((order): StatusChange => ({ order, to: 'expired', at: act.at }));
  for (const change of changes) applyToStock(stock, change);
  await executeAll(tx, [...stock.statements(), ...statementsOf(changes), ...recordAll(changes.map((each) => auditEntryOf(act, each)))]);
}
