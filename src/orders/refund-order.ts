import { isAllowed } from '../accounts/roles.ts';
import { lockStock, takeBack } from '../catalog/stock.ts';
import { lockDoor } from '../events/lock-event.ts';
import type { Act } from '../kernel/act.ts';
import { type InputError, Problem } from '../kernel/problem.ts';
import { movePasskeys } from '../passkeys/passkey-counters.ts';
import { recordAll } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { type Statement, together } from '../postgres/together.ts';
import { giveBack } from './buyer-limits.ts';
import { type RefundedPart, tellRefund } from './confirm-by-mail.ts';
import type { Order, RefundBody } from './contract.ts';
import { reversalsOf } from './ledger.ts';
import { insertPostings } from './money.sql.ts';
import { describeOrder, lockOrder, mayUse, statusAt, stockLinesOf, unlockedIn } from './order.ts';
import { type LineRow, moveStatus, type OrderRow } from './order-rows.sql.ts';
import { moveRefunded } from './orders.sql.ts';
import { giveBack as tellProvider } from './providers/sandbox.sql.ts';
import { countersOf } from './settle-orders.ts';
import { refundTickets } from './tickets.sql.ts';
import { requireWithdrawable } from './withdrawal.ts';

/** Takes back all or some of what was bought: tickets, money and, where it is to be sold again, stock. */
export async function refundOrder(tx: Tx, act: Act, id: number, secret: string | undefined, body: RefundBody): Promise<Order> {
  const { lines, restock = true, reason } = body;
  const order = await lockOrder(tx, id);
  if (!mayUse(order, act.actor, secret, 'order.refund')) throw new Problem('not_found');
  const status = statusAt(order, act.at);
  if (status !== 'approved') throw new Problem('wrong_state', `The order is ${status}`);
  const byCrew = isAllowed(act.actor, 'order.refund', { producerId: order.producer_id, eventId: order.event_id });
  // Before the stock, whoever refunds: its tickets are no guests any more.
  await lockDoor(order.event_id).execute(tx);
  if (!byCrew) await requireWithdrawable(tx, order, act.at, body);
  const gone = unitsToRefund(order, lines);
  const after = afterRefund(order, gone, restock);
  const items = gone.map(({ itemId, quantity }) => ({ itemId, quantity }));
  const change = {
    subject: 'order',
    id,
    eventId: order.event_id,
    before: { status },
    after: { status: after.status, refunded: items, restock, ...(reason !== undefined && { reason }) },
  };
  await together(tx, [
    ...(restock ? await putBack(tx, { ...order, lines: gone }) : []),
    moveRefunded(order, gone, restock),
    refundTickets(order, gone),
    ...payBack(order, gone, act.at),
    ...(after.status === 'refunded' ? [moveStatus([{ id, status: 'refunded', at: act.at }])] : []),
    // Anybody could order for a stranger and withdraw, over and over. So a buyer who withdraws from a free order gets no mail.
    ...(order.buyer_email === null || (order.total === 0 && act.actor.kind === 'anonymous') ? [] : tellRefund(toTell(after, gone, act.at))),
    ...recordAll([{ act, change }]),
  ]);
  return describeOrder(after, act.at);
}

const toTell = ({ event_id, id, currency, lines }: OrderRow, gone: readonly LineRow[], at: Date): RefundedPart => ({
  eventId: event_id,
  orderId: id,
  currency,
  lines: gone.map(({ itemId, quantity }) => ({ itemId, quantity })),
  amount: gone.reduce((sum, { quantity, price, feeSale }) => sum + quantity * (price + feeSale), 0),
  refundedInAll: lines.reduce((sum, { refunded }) => sum + refunded, 0),
  at,
});

/** The lines that are meant, each with the quantity to refund. */
function unitsToRefund({ lines }: OrderRow, asked: RefundBody['lines']): LineRow[] {
  const leftOf = ({ quantity, refunded }: LineRow) => quantity - refunded;
  if (!asked) return lines.filter((line) => leftOf(line) > 0).map((line) => ({ ...line, quantity: leftOf(line) }));
  const faults: InputError[] = [];
  const fault = (field: string, code: string, message: string) => void faults.push({ in: 'body', field, code, message });
  const units = asked.flatMap(({ itemId, quantity }, i) => {
    const line = lines.find((each) => each.itemId === itemId);
    if (!line) fault(`lines[${i}].itemId`, 'unknown', `The order has no item ${itemId}`);
    else if (asked.findIndex((other) => other.itemId === itemId) < i)
      fault(`lines[${i}].itemId`, 'twice', `Item ${itemId} is asked for twice`);
    else if (quantity > leftOf(line)) fault(`lines[${i}].quantity`, 'maximum', `${leftOf(line)} of ${line.name} are left to refund`);
    return line ? [{ ...line, quantity }] : [];
  });
  if (faults.length > 0) throw new Problem('rule_violation', faults[0]?.message, { errors: faults });
  return units;
}

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
    ...(part.passkey_id === null ? [] : movePasskeys([{ id: part.passkey_id, used: -unlockedIn(part.lines), held: 0 }])),
    ...giveBack([part]),
  ];
}

/** The way it came. */
function payBack({ event_id: eventId, id, total, payments }: OrderRow, lines: readonly LineRow[], at: Date): Statement[] {
  const paid = payments.find(({ status }) => status === 'approved');
  if (!paid && total > 0) throw new Error(`Order ${id} is approved and was not paid`);
  if (!paid) return [];
  const amount = lines.reduce((sum, { quantity, price, feeSale }) => sum + quantity * (price + feeSale), 0);
  return [
    insertPostings(reversalsOf({ eventId, orderId: id, method: paid.method, at, lines })),
    ...(paid.reference === null ? [] : [tellProvider([{ reference: paid.reference, amount }])]),
  ];
}
