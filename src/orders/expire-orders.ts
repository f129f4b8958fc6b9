import { lockedStock, type Stock } from '../catalog/stock.ts';
import type { Act } from '../kernel/act.ts';
import { recordAll } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { executeAll, runPipeline, type Step } from '../postgres/pipeline.ts';
import { countersOfDue, type Due, lockedDue } from './order-reads.sql.ts';
import type { OrderRow } from './order-row.ts';
import { applyTo, changeOf, type Settlement, statementsOf } from './settle-orders.ts';

const mostAtOnce = 1_000;

/**
 * Takes back what holds that ran out still have; answers how many. Whoever needs stock does the same for themselves, so that
 * nobody waits for this: it keeps what the pages say right.
 */
export async function expireOrders(tx: Tx, act: Act): Promise<number> {
  const asked = { at: act.at, limit: mostAtOnce };
  const stock = lockedStock({ eventIds: null, itemIds: [], sessionIds: [], itemsOfAnySession: [], also: countersOfDue(asked) });
  const [due, locked] = await runPipeline(tx, [dueOrders(asked), stock]);
  await expire(tx, act, locked, due);
  return due.length;
}

/** Holds that ran out, locked. To be followed by the lock of their counters. */
export const dueOrders = (asked: Due): Step<OrderRow[]> => ({ statements: [lockedDue(asked)], read: ([rows = []]) => rows as OrderRow[] });

export async function expire(tx: Tx, act: Act, stock: Stock, due: readonly OrderRow[]): Promise<void> {
  const settlements = due.map((order): Settlement => ({ order, to: 'expired', at: act.at }));
  for (const settlement of settlements) applyTo(stock, settlement);
  await executeAll(tx, [...stock.statements(), ...statementsOf(settlements), ...recordAll(settlements.map((each) => changeOf(act, each)))]);
}
