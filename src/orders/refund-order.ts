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
import { giveBack } from './buyer-limits.ts';
import { chooseRefund } from './choose-refund.ts';
import { type RefundedPart, tellRefund } from './confirm-by-mail.ts';
import type { Order, RefundBody } from './contract.ts';
import { insertPostings } from './ledger.sql.ts';
import { reversalsOf } from './ledger.ts';
import { describeOrder, lockOrder, mayUse, statusAt, stockLinesOf, unlockedIn } from './order.ts';
import { moveStatus } from './order-reads.sql.ts';
import type { LineRow, OrderRow } from './order-row.ts';
import { moveRefunded } from './order-writes.sql.ts';
import { countersOf } from './settle-orders.ts';
import { requireWithdrawable } from './withdrawal.ts';

/** Tells the provider of a payment to return money to the buyer. Payments pass it in, because orders know no providers. */
export type ReturnMoney = (returns: readonly { reference: string; amount: number }[]) => Statement;

export interface RefundRequest {
  id: number;
  secret: string | undefined;
  body: RefundBody;
}

/** Refunds all or some tickets of an order. Restocks what may be sold again. */
export async function refundOrder(tx: Tx, act: Act, { id, secret, body }: RefundRequest, returnMoney: ReturnMoney): Promise<Order> {
  const order = await lockOrder(tx, id);
  if (!mayUse(order, act.actor, secret, 'order.refund')) throw new Problem('not_found');
  const status = statusAt(order, act.at);
  if (status !== 'approved') throw new Problem('wrong_state', `The order is ${status}`);
  const byCrew = isAllowed(act.actor, 'order.refund', { producerId: order.producer_id, eventId: order.event_id });
  const tickets = await lockRefundableTickets(tx, order);
  if (!byCrew) await requireWithdrawable(tx, order, tickets, act.at, body);
  return describeOrder(await refund(tx, act, { order, tickets, body }, returnMoney), act.at);
}

/** The lock of the door comes before that of the stock, whoever refunds: it decides which tickets are used. */
export async function lockRefundableTickets(tx: Tx, order: OrderRow): Promise<RefundableTicket[]> {
  await lockDoor(order.event_id).execute(tx);
  return readRefundableTickets(tx, order);
}

export interface Refund {
  order: OrderRow;
  tickets: readonly RefundableTicket[];
  body: RefundBody;
}

/** The order must be approved and locked, and the door locked. Returns the order after the refund. */
export async function refund(tx: Tx, act: Act, { order, tickets, body }: Refund, returnMoney: ReturnMoney): Promise<OrderRow> {
  const { restock = true, reason } = body;
  const { lines: gone, ticketIds } = chooseRefund(order, tickets, body);
  const after = afterRefund(order, gone, restock);
  const change = {
    subject: 'order',
    id: order.id,
    eventId: order.event_id,
    before: { status: order.status },
    after: {
      status: after.status,
      refunded: gone.map(({ itemId, quantity }) => ({ itemId, quantity })),
      restock,
      ...(body.ticketIds && { ticketIds }),
      ...(body.includeUsed && { includeUsed: true }),
      ...(reason !== undefined && { reason }),
    },
  };
  await executeAll(tx, [
    ...(restock ? await putBack(tx, { ...order, lines: gone }) : []),
    moveRefunded(order, gone, restock),
    refundTickets(order, ticketIds),
    ...payBack(order, gone, act.at, returnMoney),
    ...(after.status === 'refunded' ? [moveStatus([{ id: order.id, status: 'refunded', at: act.at }])] : []),
    // Anybody could order for a stranger and withdraw, over and over. So a buyer who withdraws from a free order gets no mail.
    ...(order.buyer_email === null || (order.total === 0 && act.actor.kind === 'anonymous') ? [] : tellRefund(toTell(after, gone, act.at))),
    ...recordAll([{ act, change }]),
  ]);
  return after;
}

const amountOf = (lines: readonly LineRow[]): number =>
  lines.reduce((sum, { quantity, price, feeSale }) => sum + quantity * (price + feeSale), 0);

const toTell = ({ event_id, id, currency, lines }: OrderRow, gone: readonly LineRow[], at: Date): RefundedPart => ({
  eventId: event_id,
  orderId: id,
  currency,
  lines: gone.map(({ itemId, quantity }) => ({ itemId, quantity })),
  amount: amountOf(gone),
  refundedInAll: lines.reduce((sum, { refunded }) => sum + refunded, 0),
  at,
});

function afterRefund(order: OrderRow, gone: readonly LineRow[], restock: boolean): OrderRow {
  const lines = order.lines.map((line) => {
    const by = gone.find(({ itemId }) => itemId === line.itemId)?.quantity ?? 0;
    return { ...line, refunded: line.refunded + by, restocked: line.restocked + (restock ? by : 0) };
  });
  const all = lines.every(({ quantity, refunded }) => refunded === quantity);
  return { ...order, lines, status: all ? 'refunded' : order.status };
}

/** What others may buy now counts nowhere any more: not as stock, not for the passkey, not for the buyer. */
async function putBack(tx: Tx, part: OrderRow): Promise<Statement[]> {
  const stock = await lockStock(tx, countersOf([part]));
  for (const line of stockLinesOf(part)) stock.move(line, takeBack);
  return [
    ...stock.statements(),
    ...(part.passkey_id === null ? [] : changePasskeyCounters([{ id: part.passkey_id, used: -unlockedIn(part.lines), held: 0 }])),
    ...giveBack([part]),
  ];
}

/** Returns the money by the method it was paid with. */
function payBack(order: OrderRow, lines: readonly LineRow[], at: Date, returnMoney: ReturnMoney): Statement[] {
  const { event_id: eventId, id, total, payments } = order;
  const paid = payments.find(({ status }) => status === 'approved');
  if (!paid && total > 0) throw new Error(`Order ${id} is approved and was not paid`);
  if (!paid) return [];
  const amount = amountOf(lines);
  return [
    insertPostings(reversalsOf({ eventId, orderId: id, method: paid.method, at, lines })),
    ...(paid.reference === null ? [] : [returnMoney([{ reference: paid.reference, amount }])]),
  ];
}
