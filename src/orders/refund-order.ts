import { isAllowed } from '../accounts/roles.ts';
import { lockStock, takeBack } from '../catalog/stock.ts';
import { lockDoor } from '../events/lock-event.ts';
import type { Act } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import { changePasskeyCounters } from '../passkeys/passkey-counters.ts';
import { recordAll } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { executeAll, type Statement } from '../postgres/pipeline.ts';
import { type RefundableTicket, readRefundableTickets, refundTickets } from '../tickets/order-tickets.ts';
import { releaseBuyerLimits } from './buyer-limits.ts';
import { chooseRefund } from './choose-refund.ts';
import type { Order, RefundBody } from './contract.ts';
import { insertPostings } from './ledger.sql.ts';
import { reversalsOf } from './ledger.ts';
import { countPasskeyTickets, describeOrder, type LineRow, type OrderRow, statusAt, stockLinesOf } from './order.ts';
import { lockOrder, mayUse } from './order-access.ts';
import { addRefunded, updateStatuses } from './order-writes.sql.ts';
import { queueRefundMail, type RefundedPart } from './queue-order-mails.ts';
import { stockToLock } from './status-change.ts';
import { requireWithdrawable } from './withdrawal.ts';

/** Makes the payment provider send money back to the buyer. It is passed as an argument, because `orders/` must not import `payments/`. */
export type ReturnMoney = (returns: readonly { reference: string; amount: number }[]) => Statement;

export interface RefundRequest {
  id: number;
  secret: string | undefined;
  body: RefundBody;
}

/** Refunds all or some tickets of an order. Refunded tickets go back on sale unless `restock` is false. */
export async function refundOrder(tx: Tx, act: Act, { id, secret, body }: RefundRequest, returnMoney: ReturnMoney): Promise<Order> {
  const order = await lockOrder(tx, id);
  if (!mayUse(order, act.actor, secret, 'order.refund')) throw new Problem('not_found');
  const status = statusAt(order, act.at);
  if (status !== 'approved') throw new Problem('wrong_state', `The order is ${status}. Only approved orders can be refunded.`);
  const byCrew = isAllowed(act.actor, 'order.refund', { producerId: order.producer_id, eventId: order.event_id });
  const tickets = await lockRefundableTickets(tx, order);
  if (!byCrew) await requireWithdrawable(tx, order, tickets, act.at, body);
  return describeOrder(await refund(tx, act, { order, tickets, body }, returnMoney), act.at);
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

/** Refunds an approved order and returns its new state. The caller has locked the order and the door. */
export async function refund(tx: Tx, act: Act, { order, tickets, body }: Refund, returnMoney: ReturnMoney): Promise<OrderRow> {
  const { restock = true, reason } = body;
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
  await executeAll(tx, [
    ...(restock ? await restockLines(tx, { ...order, lines: refunded }) : []),
    addRefunded(order, refunded, restock),
    refundTickets(order, ticketIds),
    ...returnPayment(order, refunded, act.at, returnMoney),
    ...(after.status === 'refunded' ? [updateStatuses([{ id: order.id, status: 'refunded', at: act.at }])] : []),
    // Anonymous withdrawals from free orders send no mail. Otherwise anybody could flood a stranger's mailbox by ordering and withdrawing.
    ...(order.buyer_email === null || (order.total === 0 && act.actor.kind === 'anonymous')
      ? []
      : queueRefundMail(toRefundMail(after, refunded, act.at))),
    ...recordAll([{ act, change }]),
  ]);
  return after;
}

const amountOf = (lines: readonly LineRow[]): number =>
  lines.reduce((sum, { quantity, price, feeSale }) => sum + quantity * (price + feeSale), 0);

const toRefundMail = ({ event_id, id, currency, lines }: OrderRow, refunded: readonly LineRow[], at: Date): RefundedPart => ({
  eventId: event_id,
  orderId: id,
  currency,
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
async function restockLines(tx: Tx, part: OrderRow): Promise<Statement[]> {
  const stock = await lockStock(tx, stockToLock([part]));
  for (const line of stockLinesOf(part)) stock.move(line, takeBack);
  return [
    ...stock.statements(),
    ...(part.passkey_id === null ? [] : changePasskeyCounters([{ id: part.passkey_id, used: -countPasskeyTickets(part.lines), held: 0 }])),
    ...releaseBuyerLimits([part]),
  ];
}

/** Returns the money through the method of the original payment. */
function returnPayment(order: OrderRow, lines: readonly LineRow[], at: Date, returnMoney: ReturnMoney): Statement[] {
  const { event_id: eventId, id, total, payments } = order;
  const paid = payments.find(({ status }) => status === 'approved');
  if (!paid && total > 0) throw new Error(`Order ${id} is approved but has no approved payment`);
  if (!paid) return [];
  const amount = amountOf(lines);
  return [
    insertPostings(reversalsOf({ eventId, orderId: id, method: paid.method, at, lines })),
    ...(paid.reference === null ? [] : [returnMoney([{ reference: paid.reference, amount }])]),
  ];
}
