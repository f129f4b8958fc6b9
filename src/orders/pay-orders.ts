import { isAllowed } from '../accounts/roles.ts';
import { fireSoldOut } from '../catalog/fire-triggers.ts';
import { webShop } from '../catalog/item.ts';
import { lockStock, type Stock } from '../catalog/stock.ts';
import { type Act, systemAct } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import { recordAll } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { together } from '../postgres/together.ts';
import { inSavepoint } from '../postgres/transaction.ts';
import { confirmByMail } from './confirm-by-mail.ts';
import type { Order, PaymentBody } from './contract.ts';
import { type CodesByItem, ensureTicketKeys, takeTicketCodes, ticketRows } from './issue-tickets.ts';
import { postingsOf } from './ledger.ts';
import { insertPayments, insertPostings } from './money.sql.ts';
import { describeOrder, lockOrders, mayUse, statusAt, stockLinesOf } from './order.ts';
import type { OrderRow } from './order-rows.sql.ts';
import { applyTo, changeOf, countersOf, fits, type Settlement, statementsOf } from './settle-orders.ts';
import { readTakenAgain, type TakenAgain } from './take-again.ts';
import { insertTickets } from './tickets.sql.ts';

export interface Payment {
  act: Act;
  id: number;
  secret: string | undefined;
  body: PaymentBody;
}

interface Approved extends Settlement {
  act: Act;
  method: PaymentBody['method'];
  codes: CodesByItem;
}

interface Limits {
  stock: Stock;
  again: TakenAgain;
}

/** Many payments in one transaction; each approves its order and issues the tickets, or says why not. */
export async function payOrders(tx: Tx, payments: readonly Payment[]): Promise<(Order | Problem)[]> {
  const ids = [...new Set(payments.map(({ id }) => id))];
  const orders = await lockOrders(tx, ids);
  const stock = await lockStock(tx, countersOf([...orders.values()]));
  const again = await readTakenAgain(tx, stock, [...orders.values()]);
  const approved: Approved[] = [];
  const outcomes: (Order | Problem)[] = [];
  for (const payment of payments) {
    const outcome = await pay(tx, { stock, again }, orders.get(payment.id), payment);
    if (outcome instanceof Problem) {
      outcomes.push(outcome);
      continue;
    }
    const { at } = payment.act;
    const order: OrderRow = { ...outcome.order, status: 'approved', approved_at: at };
    approved.push(outcome);
    orders.set(payment.id, order);
    outcomes.push(describeOrder(order, at));
  }
  if (approved.length > 0) await write(tx, stock, again, approved);
  return outcomes;
}

async function pay(tx: Tx, { stock, again }: Limits, order: OrderRow | undefined, payment: Payment): Promise<Approved | Problem> {
  const { act, secret, body } = payment;
  if (!order || !mayUse(order, act.actor, secret, 'order.sell')) return new Problem('not_found');
  const against = refuseCash(order, payment) ?? refuseState(order, act.at);
  if (against) return against;
  const settlement: Settlement = { order, to: 'approved', at: act.at };
  if (order.status === 'expired' && !(fits(stock, stockLinesOf(order), act.at) && again.fits(order))) {
    return new Problem('sold_out', 'The hold ran out and what it held is sold: nothing was charged');
  }
  if (body.outcome === 'decline') return new Problem('payment_declined');
  const codes = await codesFor(tx, stock, order);
  if (!codes) return new Problem('sold_out', 'There are no codes left for its tickets: nothing was charged');
  applyTo(stock, settlement);
  if (order.status === 'expired') again.take(order);
  return { ...settlement, act, method: body.method, codes };
}

function refuseCash(order: OrderRow, { act: { actor }, body }: Payment): Problem | null {
  if (body.method !== 'cash') return null;
  const sells = isAllowed(actor, 'order.sell', { producerId: order.producer_id, eventId: order.event_id });
  return sells ? null : new Problem('forbidden', 'Cash is taken by who sells at the event');
}

function refuseState(order: OrderRow, at: Date): Problem | null {
  const status = statusAt(order, at);
  if (status === 'approved') return new Problem('wrong_state', 'The order is paid already');
  if (status === 'cancelled' || status === 'refunded') return new Problem('wrong_state', `The order is ${status}`);
  return order.event_status === 'cancelled' ? new Problem('wrong_state', 'The event is cancelled') : null;
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

async function write(tx: Tx, stock: Stock, again: TakenAgain, approved: readonly Approved[]): Promise<void> {
  const [first] = approved;
  if (!first) return;
  const system = systemAct('payOrder', first.at);
  await ensureTicketKeys(
    tx,
    system,
    approved.map(({ order }) => order.event_id),
  );
  const sales = approved.map(({ order, method, at }) => ({
    eventId: order.event_id,
    orderId: order.id,
    method,
    at,
    lines: order.lines,
  }));
  const payments = approved.flatMap(({ order, method, at }) =>
    order.total === 0 ? [] : [{ event_id: order.event_id, order_id: order.id, method, amount: order.total, created_at: at }],
  );
  const tickets = approved.flatMap(({ order, codes, at }) =>
    ticketRows({ eventId: order.event_id, orderId: order.id, lines: order.lines, codes, at }),
  );
  await together(tx, [
    ...stock.statements(),
    ...statementsOf(approved),
    ...again.statements(),
    insertPayments(payments),
    insertPostings(sales.flatMap(postingsOf)),
    insertTickets(tickets),
    ...confirmByMail(approved.map(({ order, at }) => ({ eventId: order.event_id, orderId: order.id, currency: order.currency, at }))),
    ...recordAll(approved.map((each) => changeOf(each.act, each))),
  ]);
  await fireSoldOut(tx, system, stock.soldOut({ at: first.at, channel: webShop }));
}
