import { fireSoldOut } from '../catalog/fire-triggers.ts';
import { webShop } from '../catalog/item.ts';
import { lockStock, type Stock } from '../catalog/stock.ts';
import { type Act, systemAct } from '../kernel/act.ts';
import { recordAll } from '../platform/audit.ts';
import { recordChanges } from '../platform/changes/record-changes.ts';
import type { Tx } from '../postgres/database.ts';
import { executeAll, type Statement, sendWithCommit } from '../postgres/pipeline.ts';
import { inSavepoint } from '../postgres/transaction.ts';
import { assignTicketCodes, type CodesByItem, ensureTicketKeys, issueTickets } from '../tickets/issue-tickets.ts';
import { logIssuedTickets } from '../tickets/ticket-log.ts';
import { type NewPosting, type Sale, writePostings } from './ledger.ts';
import { keyOf, type OrderRow } from './order.ts';
import { orderChange } from './order-changes.ts';
import { mailLocale, queueConfirmations } from './queue-order-mails.ts';
import { type ReacquiredLimits, readReacquiredLimits } from './reacquired-limits.ts';
import { recordSales } from './sales-totals.ts';
import { applyToStock, auditEntryOf, type StatusChange, statementsOf, stockToLock } from './status-change.ts';

/** The locked limits that decide whether an order can be approved. */
export interface Limits {
  stock: Stock;
  /** The limits that expired orders have released and need again. Null if all orders are held. */
  reacquired: ReacquiredLimits | null;
}

export interface LateLimits extends Limits {
  reacquired: ReacquiredLimits;
}

/** A paid order with the imported codes of its tickets. */
export interface Approval extends StatusChange {
  act: Act;
  method: string;
  codes: CodesByItem;
}

/** Locks the stock of held orders. The caller has locked the orders. */
export async function lockLimits(tx: Tx, orders: readonly OrderRow[]): Promise<Limits> {
  return { stock: await lockStock(tx, stockToLock(orders)), reacquired: null };
}

/**
 * Locks the stock of orders that may have expired, and reads the limits that expired orders have released. The caller has locked the
 * orders.
 */
export async function lockLateLimits(tx: Tx, orders: readonly OrderRow[], at: Date): Promise<LateLimits> {
  const stock = await lockStock(tx, stockToLock(orders));
  return { stock, reacquired: await readReacquiredLimits(tx, stock, orders, at) };
}

/** Takes the order's tickets from the stock in memory and assigns imported codes. Returns null if an item has too few codes. */
export async function approve(tx: Tx, limits: Limits, order: OrderRow, act: Act, method: string): Promise<Approval | null> {
  const codes = await codesFor(tx, limits.stock, order);
  if (!codes) return null;
  const change: StatusChange = { order, to: 'approved', at: act.at };
  applyToStock(limits.stock, change);
  if (order.status === 'expired') limits.reacquired?.take(order);
  return { ...change, act, method, codes };
}

/** Assigns codes to all tickets of the order, or to none: if there are too few codes, the savepoint is rolled back. */
async function codesFor(tx: Tx, stock: Stock, order: OrderRow): Promise<CodesByItem | null> {
  if (!order.lines.some(({ itemId }) => stock.item(itemId)?.customCode)) return new Map();
  const outOfCodes = new Error('out of codes');
  try {
    return await inSavepoint(tx, async () => {
      const codes = await assignTicketCodes(tx, stock, order.lines);
      if (!codes) throw outOfCodes;
      return codes;
    });
  } catch (error) {
    if (error === outOfCodes) return null;
    throw error;
  }
}

/** Writes the approvals and the caller's other statements in one round trip. */
export async function writeApprovals(
  tx: Tx,
  { stock, reacquired }: Limits,
  approved: readonly Approval[],
  others: { statements: readonly Statement[]; postings?: readonly NewPosting[] },
): Promise<void> {
  const [first] = approved;
  const { statements, postings = [] } = others;
  const system = first && systemAct(first.act.operation, first.at);
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
    ...(reacquired?.statements() ?? []),
    ...recordSales(approved.map(toSale)),
    ...issueTickets(issues),
    ...statements,
    ...recordAll(approved.map((each) => auditEntryOf(each.act, each))),
    ...recordChanges(approved.map(({ order, at }) => orderChange('order.approved', keyOf(order), at))),
  ]);
  if (system) await fireSoldOut(tx, system, stock.soldOut({ at: system.at, channel: webShop }));
  await sendWithCommit(tx, [
    ...queueConfirmations(approved.map(toConfirm)),
    // The sums of fees have one row per payment method, and the row is locked until the commit.
    ...writePostings(postings),
    ...logIssuedTickets(approved.map(({ order }) => keyOf(order))),
  ]);
}

const toSale = ({ order, method, at }: Approval): Sale => ({
  eventId: order.event_id,
  orderId: order.id,
  channel: order.app_category_id,
  method,
  at,
  lines: order.lines,
});

const toConfirm = ({ order, act, at }: Approval) => ({
  eventId: order.event_id,
  orderId: order.id,
  locale: mailLocale(order),
  email: order.buyer_email,
  free: order.total === 0,
  act,
  at,
});
