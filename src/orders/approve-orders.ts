import { fireSoldOut } from '../catalog/fire-triggers.ts';
import { webShop } from '../catalog/item.ts';
import { lockStock, type Stock } from '../catalog/stock.ts';
import { type Act, systemAct } from '../kernel/act.ts';
import { recordAll } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { executeAll, type Statement, sendWithCommit } from '../postgres/pipeline.ts';
import { inSavepoint } from '../postgres/transaction.ts';
import { type CodesByItem, ensureTicketKeys, issueTickets, takeTicketCodes } from '../tickets/issue-tickets.ts';
import { confirmByMail } from './confirm-by-mail.ts';
import { insertPostings, type NewPosting } from './ledger.sql.ts';
import { postingsOf } from './ledger.ts';
import type { OrderRow } from './order-row.ts';
import { type ReacquiredLimits, readReacquiredLimits } from './reacquired-limits.ts';
import { applyTo, changeOf, countersOf, type Settlement, statementsOf } from './settle-orders.ts';

/** What orders that are paid draw on. */
export interface Limits {
  stock: Stock;
  /** What late payments need; null where none is decided. */
  again: ReacquiredLimits | null;
}

export interface LateLimits extends Limits {
  again: ReacquiredLimits;
}

/** An order that is paid, and what was taken for it. */
export interface Approval extends Settlement {
  act: Act;
  method: string;
  codes: CodesByItem;
}

/** For orders that are held. Lock the orders first. */
export async function lockLimits(tx: Tx, orders: readonly OrderRow[]): Promise<Limits> {
  return { stock: await lockStock(tx, countersOf(orders)), again: null };
}

/** For orders of which some may have expired. Lock the orders first. */
export async function lockLateLimits(tx: Tx, orders: readonly OrderRow[], at: Date): Promise<LateLimits> {
  const stock = await lockStock(tx, countersOf(orders));
  return { stock, again: await readReacquiredLimits(tx, stock, orders, at) };
}

/** Takes what the order needs; null when there are no codes left for its tickets. */
export async function approve(tx: Tx, limits: Limits, order: OrderRow, act: Act, method: string): Promise<Approval | null> {
  const codes = await codesFor(tx, limits.stock, order);
  if (!codes) return null;
  const settlement: Settlement = { order, to: 'approved', at: act.at };
  applyTo(limits.stock, settlement);
  if (order.status === 'expired') limits.again?.take(order);
  return { ...settlement, act, method, codes };
}

/** All the codes that its tickets need, or none. */
async function codesFor(tx: Tx, stock: Stock, order: OrderRow): Promise<CodesByItem | null> {
  if (!order.lines.some(({ itemId }) => stock.item(itemId)?.customCode)) return new Map();
  const outOfCodes = new Error('out of codes');
  try {
    return await inSavepoint(tx, async () => {
      const codes = await takeTicketCodes(tx, stock, order.lines);
      if (!codes) throw outOfCodes;
      return codes;
    });
  } catch (error) {
    if (error === outOfCodes) return null;
    throw error;
  }
}

/** Writes the approvals, with everything else that was decided beside them, in one journey. */
export async function writeApprovals(
  tx: Tx,
  { stock, again }: Limits,
  approved: readonly Approval[],
  beside: { statements: readonly Statement[]; postings?: readonly NewPosting[] },
): Promise<void> {
  const [first] = approved;
  const sales = approved.map(({ order, method, at }) => ({ eventId: order.event_id, orderId: order.id, method, at, lines: order.lines }));
  const postings = [...sales.flatMap(postingsOf), ...(beside.postings ?? [])];
  const system = first && systemAct('payOrder', first.at);
  if (system) {
    await ensureTicketKeys(
      tx,
      system,
      approved.map(({ order }) => order.event_id),
    );
  }
  const issues = approved.map(({ order, codes, at }) => ({
    eventId: order.event_id,
    orderId: order.id,
    lines: order.lines,
    holder: order.buyer_name,
    codes,
    at,
  }));
  await executeAll(tx, [
    ...stock.statements(),
    ...statementsOf(approved),
    ...(again?.statements() ?? []),
    ...(postings.length > 0 ? [insertPostings(postings)] : []),
    ...issueTickets(issues),
    ...beside.statements,
    ...recordAll(approved.map((each) => changeOf(each.act, each))),
  ]);
  if (system) await fireSoldOut(tx, system, stock.soldOut({ at: system.at, channel: webShop }));
  await sendWithCommit(tx, confirmByMail(approved.map(toConfirm)));
}

const toConfirm = ({ order, act, at }: Approval) => ({
  eventId: order.event_id,
  orderId: order.id,
  currency: order.currency,
  email: order.buyer_email,
  free: order.total === 0,
  act,
  at,
});
