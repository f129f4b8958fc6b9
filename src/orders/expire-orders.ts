import { lockStock } from '../catalog/stock.ts';
import type { Act } from '../kernel/act.ts';
import { recordAll } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { together } from '../postgres/together.ts';
import { lockDue, selectOrders } from './order-rows.sql.ts';
import { applyTo, changeOf, countersOf, type Settlement, statementsOf } from './settle-orders.ts';

const mostAtOnce = 1_000;

/**
 * Takes back what holds that ran out still have; answers how many. Whoever needs stock does the same for themselves, so that
 * nobody waits for this: it keeps what the pages say right.
 */
export async function expireOrders(tx: Tx, act: Act): Promise<number> {
  const due = await selectOrders(tx, await lockDue(tx, act.at, mostAtOnce));
  if (due.length === 0) return 0;
  const stock = await lockStock(tx, countersOf(due));
  const settlements = due.map((order): Settlement => ({ order, to: 'expired', at: act.at }));
  for (const settlement of settlements) applyTo(stock, settlement);
  await together(tx, [...stock.statements(), ...statementsOf(settlements), ...recordAll(settlements.map((each) => changeOf(act, each)))]);
  return due.length;
}
