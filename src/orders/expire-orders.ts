import { lockedStock, type Stock } from '../catalog/stock.ts';
import { type Act, systemAct } from '../kernel/act.ts';
import type { RowKey } from '../kernel/ids-by-event.ts';
import { recordAll } from '../platform/audit.ts';
import type { Database, Tx } from '../postgres/database.ts';
import { executeAll, runPipeline, type Step, withoutTableScans } from '../postgres/pipeline.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { countersOfExpiredHolds, type ExpiredFilter, lockExpiredHolds, selectEventsWithExpiredHolds } from './expire-orders.sql.ts';
import { selectOrders } from './order-reads.sql.ts';
import { applyToStock, auditEntryOf, type StatusChange, statementsOf } from './status-change.ts';

const batchSize = 1_000;

/** Requests that need exact counters first release the expired holds of their events, in rounds of at most this many holds. */
export const maxExpiredPerRound = 2_000;
const maxRounds = 50;

/**
 * Releases the stock of expired holds, one transaction per event. Returns the number of expired orders. New orders do not depend on this
 * job, because they release the expired holds of their event themselves. The job keeps the availability on event pages up to date.
 */
export async function expireOrders(db: Database, act: Act): Promise<number> {
  let count = 0;
  for (const eventId of await selectEventsWithExpiredHolds(db, act.at, batchSize)) {
    count += await inTransaction(db, {}, (tx) => expireOrdersOf(tx, act, eventId));
  }
  return count;
}

async function expireOrdersOf(tx: Tx, act: Act, eventId: number): Promise<number> {
  const filter = { eventIds: [eventId], at: act.at, limit: batchSize };
  const none = { items: [], sessions: [], itemsOfAnySession: [] };
  const stock = lockedStock({ ...none, eventIds: [eventId], also: countersOfExpiredHolds(filter) });
  const [, expired, locked] = await runPipeline(tx, [withoutTableScans, lockedExpiredHolds(filter), stock]);
  if (expired.length > 0) await expire(tx, act, locked, expired);
  return expired.length;
}

/** Locks expired holds. The lock of their stock must follow in the same pipeline. */
export const lockedExpiredHolds = (filter: ExpiredFilter): Step<RowKey[]> => ({
  statements: [lockExpiredHolds(filter)],
  read: ([rows = []]) => rows as RowKey[],
});

/**
 * Reads the locked stock with `read`, and releases the expired holds that were locked with it. Releasing them changes the counters, so they
 * are read again, until no expired holds are left.
 */
export async function releaseExpiredHolds<R extends { expired: readonly RowKey[]; stock: Stock }>(
  tx: Tx,
  at: Date,
  read: () => Promise<R>,
): Promise<R> {
  for (let round = 1; ; round++) {
    const result = await read();
    if (result.expired.length === 0 || round === maxRounds) return result;
    await expire(tx, systemAct('expireOrders', at), result.stock, result.expired);
  }
}

async function expire(tx: Tx, act: Act, stock: Stock, expired: readonly RowKey[]): Promise<void> {
  const orders = await selectOrders(tx, expired);
  const changes = orders.map((order): StatusChange => ({ order, to: 'expired', at: act.at }));
  for (const change of changes) applyToStock(stock, change);
  await executeAll(tx, [...stock.statements(), ...statementsOf(changes), ...recordAll(changes.map((each) => auditEntryOf(act, each)))]);
}
