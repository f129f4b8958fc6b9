import { isAllowed } from '../accounts/roles.ts';
import { lockStock, type Stock, takeBack } from '../catalog/stock.ts';
import { lockDoor } from '../events/lock-event.ts';
import type { Act } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import { changePasskeyCounters } from '../passkeys/passkey-counters.ts';
import { recordAll } from '../platform/audit.ts';
import { recordChanges } from '../platform/changes/record-changes.ts';
import type { Tx } from '../postgres/database.ts';
import { executeAll, type Statement, sendWithCommit } from '../postgres/pipeline.ts';
import { type RefundableTicket, readRefundableTickets, refundTickets } from '../tickets/order-tickets.ts';
import { refundEntries } from '../tickets/refund-entries.ts';
import { logChangedTickets } from '../tickets/ticket-log.ts';
import { releaseBuyerLimits } from './buyer-limits.ts';
import { chooseRefund } from './choose-refund.ts';
import type { RefundBody } from './contract.ts';
import { requireUndisputed } from './dispute.ts';
import { free, type Sale } from './ledger.ts';
import { countPasskeyTickets, keyOf, type LineRow, type OrderRow, statusAt, stockLinesOf } from './order.ts';
import { lockOrder, mayUse, readOrder } from './order-access.ts';
import { orderChange } from './order-changes.ts';
import type { Order } from './order-schemas.ts';
import { addRefunded, updateStatuses } from './order-writes.sql.ts';
import type { PaymentRow } from './payment.ts';
import { mailLocale, queueRefundMail, type RefundedPart } from './queue-order-mails.ts';
import { recordSalesRefunds } from './sales-totals.ts';
import { stockToLock } from './status-change.ts';
import { requireWithdrawable } from './withdrawal.ts';

/** Money of a payment that goes back to the buyer. */
export interface MoneyBack {
  eventId: number;
  orderId: number;
  payment: PaymentRow;
  amount: number;
  at: Date;
}

/** Writes money that goes back to the buyer. It is passed as an argument, because `orders/` must not import `payments/`. */
export type ReturnMoney = (refunds: readonly MoneyBack[]) => Statement;

export interface RefundRequest {
  id: number;
  secret: string | undefined;
  body: RefundBody;
}

/** Refunds all or some tickets of an order. Refunded tickets go back on sale unless `restock` is false. */
export async function refundOrder(tx: Tx, act: Act, { id, secret, body }: RefundRequest, returnMoney: ReturnMoney): Promise<Order> {
  const order = await lockOrder(tx, id, { act, secret });
  if (!mayUse(order, act.actor, secret, 'order.refund')) throw new Problem('not_found');
  const status = statusAt(order, act.at);
  if (status !== 'approved') throw new Problem('wrong_state', `The order is ${status}. Only approved orders can be refunded.`);
  const byCrew = isAllowed(act.actor, 'order.refund', { producerId: order.producer_id, eventId: order.event_id });
  const tickets = await lockRefundableTickets(tx, order);
  if (!byCrew) await requireWithdrawable(tx, order, tickets, act.at, body);
  const { ticketIds } = await refund(tx, act, { order, tickets, body }, returnMoney);
  const after = await readOrder(tx, act, keyOf(order));
  await sendWithCommit(tx, logChangedTickets(ticketIds.map((ticketId) => ({ eventId: order.event_id, id: ticketId }))));
  return after;
}

/** Locks the door, because a concurrent scan could use a ticket. All refunds lock the door before the stock, which prevents deadlocks. */
export async function lockRefundableTickets(tx: Tx, order: OrderRow): Promise<RefundableTicket[]> {
  await lockDoor(order.event_id).execute(tx);
  return readRefundableTickets(tx, order);
}

export interface Refund {
  order: OrderRow;
  tickets: readonly RefundableTicket[];
  body: RefundBody;
}

/**
 * Refunds an approved order. Returns its new state and the refunded tickets. The caller has locked the order and the door. When all refunds
 * of the transaction are written, it calls `logChangedTickets`.
 */
export async function refund(
  tx: Tx,
  act: Act,
  { order, tickets, body }: Refund,
  returnMoney: ReturnMoney,
): Promise<{ after: OrderRow; ticketIds: number[] }> {
  const { restock = true, reason } = body;
  requireUndisputed(order);
  const { lines: refunded, ticketIds } = chooseRefund(order, tickets, body);
  const after = afterRefund(order, refunded, restock);
  const change = {
    subject: 'order' as const,
    id: order.id,
    eventId: order.event_id,
    before: { status: order.status },
    after: {
      status: after.status,
      refunded: refunded.map(({ itemId, quantity }) => ({ itemId, quantity })),
      restock,
      ...(body.ticketIds && { ticketIds }),
      ...(body.includeUsed && { includeUsed: true }),
      ...(reason !== undefined && { reason }),
    },
  };
  const part = { ...order, lines: refunded };
  // Locks the items even if the tickets do not go back on sale, because the lock also protects the sums of the sales report.
  const stock = await lockStock(tx, stockToLock([part]));
  const used = tickets.filter(({ id, used: wasUsed }) => wasUsed && ticketIds.includes(id));
  await executeAll(tx, [
    ...(restock ? restockLines(stock, part) : []),
    addRefunded(order, refunded, restock),
    refundTickets(order, ticketIds),
    ...(await refundEntries(tx, order.event_id, used)),
    ...returnPayment(part, act.at, returnMoney),
    ...(after.status === 'refunded' ? [updateStatuses([{ ...keyOf(order), status: 'refunded', at: act.at }])] : []),
    // Anonymous withdrawals from free orders send no mail. Otherwise anybody could flood a stranger's mailbox by ordering and withdrawing.
    ...(order.buyer_email === null || (order.total === 0 && act.actor.kind === 'anonymous')
      ? []
      : queueRefundMail(toRefundMail(after, refunded, act.at))),
    ...recordAll([{ act, change }]),
    ...recordChanges([orderChange('order.refunded', keyOf(order), act.at)]),
  ]);
  return { after, ticketIds };
}

const amountOf = (lines: readonly LineRow[]): number =>
  lines.reduce((sum, { quantity, price, feeSale }) => sum + quantity * (price + feeSale), 0);

const toRefundMail = ({ event_id, id, locale, currency, lines }: OrderRow, refunded: readonly LineRow[], at: Date): RefundedPart => ({
  eventId: event_id,
  orderId: id,
  locale: mailLocale({ locale, currency }),
  lines: refunded.map(({ itemId, quantity }) => ({ itemId, quantity })),
  amount: amountOf(refunded),
  refundedInAll: lines.reduce((sum, line) => sum + line.refunded, 0),
  at,
});

function afterRefund(order: OrderRow, refunded: readonly LineRow[], restock: boolean): OrderRow {
  const lines = order.lines.map((line) => {
    const by = refunded.find(({ itemId }) => itemId === line.itemId)?.quantity ?? 0;
    return { ...line, refunded: line.refunded + by, restocked: line.restocked + (restock ? by : 0) };
  });
  const isComplete = lines.every((line) => line.refunded === line.quantity);
  return { ...order, lines, status: isComplete ? 'refunded' : order.status };
}

/** Puts the tickets back on sale: they no longer count as sold, against the passkey, or against the buyer's limit. */
function restockLines(stock: Stock, part: OrderRow): Statement[] {
  for (const line of stockLinesOf(part)) stock.move(line, takeBack);
  const { event_id: eventId, passkey_id: id, lines } = part;
  return [
    ...stock.statements(),
    ...(id === null ? [] : changePasskeyCounters([{ eventId, id, used: -countPasskeyTickets(lines), held: 0 }])),
    ...releaseBuyerLimits([part]),
  ];
}

/** Reverses the sale of these lines and returns the money through the method of the original payment. */
function returnPayment(part: OrderRow, at: Date, returnMoney: ReturnMoney): Statement[] {
  const { event_id: eventId, id, total, app_category_id: channel, payments, lines } = part;
  const paid = payments.find(({ status }) => status === 'approved');
  if (!paid && total > 0) throw new Error(`Order ${id} is approved but has no approved payment`);
  const amount = amountOf(lines);
  const sale: Sale = { eventId, orderId: id, channel, method: paid?.method ?? free, at, lines };
  return [
    ...recordSalesRefunds([sale]),
    ...(paid && amount > 0 ? [returnMoney([{ eventId, orderId: id, payment: paid, amount, at }])] : []),
  ];
}
