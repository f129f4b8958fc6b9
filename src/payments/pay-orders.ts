import { isAllowed } from '../accounts/roles.ts';
import type { Act } from '../kernel/act.ts';
import type { RowKey } from '../kernel/ids-by-event.ts';
import { Problem, ruleViolation } from '../kernel/problem.ts';
import { type Approval, approve, type Limits, lockLimits, writeApprovals } from '../orders/approve-orders.ts';
import type { Order } from '../orders/contract.ts';
import { describeOrder, holdExpired, type OrderRow, statusAt } from '../orders/order.ts';
import { lockOrders, mayUse } from '../orders/order-access.ts';
import type { PaymentRow } from '../orders/payment.ts';
import { recordAll } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import type { PaymentBody } from './contract.ts';
import { insertPayments } from './payments.sql.ts';
import type { paymentMethods } from './providers/payment-methods.ts';
import { insertCharges, type NewChargeRow } from './providers/sandbox.sql.ts';
import { cardOutcomes } from './providers/sandbox.ts';

/** The maximum number of PIX codes that a caller can request for one order without paying. */
const maxPending = 5;

type Methods = ReturnType<typeof paymentMethods>;

export interface Payment extends RowKey {
  act: Act;
  secret: string | undefined;
  body: PaymentBody;
}

/** A payment whose result the provider reports later. */
interface PendingCharge {
  act: Act;
  charge: NewChargeRow;
}

interface AcceptedPayment {
  order: OrderRow;
  payment: PaymentRow;
  result: Approval | PendingCharge;
}

/** Pays a batch of orders in one transaction. For each request it returns the order (approved, or with a pending payment) or a problem. */
export async function payOrders(tx: Tx, payments: readonly Payment[], methods: Methods): Promise<(Order | Problem)[]> {
  const orders = await lockOrders(tx, payments);
  const limits = await lockLimits(tx, [...orders.values()]);
  const accepted: AcceptedPayment[] = [];
  const outcomes: (Order | Problem)[] = [];
  for (const payment of payments) {
    const outcome = await pay(tx, limits, orders.get(payment.id), payment, methods);
    if (outcome instanceof Problem) {
      outcomes.push(outcome);
      continue;
    }
    accepted.push(outcome);
    const order = orderAfter(outcome, payment.act.at);
    orders.set(payment.id, order);
    outcomes.push(describeOrder(order, payment.act.at));
  }
  if (accepted.length > 0) await write(tx, limits, accepted);
  return outcomes;
}

async function pay(
  tx: Tx,
  limits: Limits,
  order: OrderRow | undefined,
  payment: Payment,
  methods: Methods,
): Promise<AcceptedPayment | Problem> {
  const { act, secret, body } = payment;
  if (!order || !mayUse(order, act.actor, secret, 'order.sell')) return new Problem('not_found');
  const charge = methods[body.method];
  if (!charge) return unavailable(body.method, methods);
  const refusal = refuseOutcome(body) ?? refuseCash(order, payment) ?? refuseState(order, act.at) ?? refuseWithoutBuyer(order);
  if (refusal) return refusal;
  const result = charge({ amount: order.total, at: act.at, heldUntil: order.expires_at, outcome: body.outcome });
  if (result.status === 'declined')
    return new Problem(
      'payment_declined',
      `The card was declined and nothing was charged. The order is held until ${order.expires_at.toISOString()}. Try another card or payment method.`,
    );
  const common = { id: 0, method: body.method, amount: order.total, returned: 0, createdAt: act.at.toISOString() };
  if (result.status === 'pending') {
    const row: PaymentRow = { ...common, status: 'pending', received: 0, reference: result.reference };
    return refusePending(order) ?? { order, payment: row, result: { act, charge: result.charge } };
  }
  const approval = await approve(tx, limits, order, act, body.method);
  if (!approval)
    return new Problem('sold_out', 'There are too few imported codes left for the tickets of this order. Nothing was charged.');
  return { order, payment: { ...common, status: 'approved', received: order.total, reference: null }, result: approval };
}

function orderAfter({ order, payment, result }: AcceptedPayment, at: Date): OrderRow {
  const payments = [...order.payments, payment];
  return 'charge' in result ? { ...order, payments } : { ...order, payments, status: 'approved', approved_at: at };
}

function unavailable(method: string, methods: Methods): Problem {
  const available = Object.keys(methods);
  const message = `This shop does not accept the payment method ${method}. Use one of: ${available.join(', ')}.`;
  const errors = [{ in: 'body' as const, field: 'method', code: 'unavailable', message }];
  return new Problem('payment_method_unavailable', message, { errors, extra: { methods: available } });
}

function refuseOutcome({ method, outcome }: PaymentBody): Problem | null {
  if (method === 'pix' || outcome === undefined || cardOutcomes.includes(outcome)) return null;
  return ruleViolation('outcome', 'method', `The outcome ${outcome} works only with PIX. For ${method} send approve or decline.`);
}

function refuseCash(order: OrderRow, { act: { actor }, body }: Payment): Problem | null {
  if (body.method !== 'cash') return null;
  const sells = isAllowed(actor, 'order.sell', { producerId: order.producer_id, eventId: order.event_id });
  return sells ? null : new Problem('forbidden', 'Only crew members who sell at this event may take cash. Use another payment method.');
}

function refuseState(order: OrderRow, at: Date): Problem | null {
  const status = statusAt(order, at);
  if (status === 'expired') return holdExpired();
  if (status === 'approved')
    return new Problem('wrong_state', 'This order is already paid. Get its tickets with GET /orders/{id}/tickets.');
  if (status === 'cancelled' || status === 'refunded') return new Problem('wrong_state', `The order is ${status}. Place a new order.`);
  return order.event_status === 'cancelled'
    ? new Problem('wrong_state', 'The event is cancelled, so its orders can no longer be paid.')
    : null;
}

/** Only held orders get here, and the buyer of a held order is never erased. So an order without a buyer never had one. */
function refuseWithoutBuyer({ id, buyer_email }: OrderRow): Problem | null {
  return buyer_email === null
    ? new Problem(
        'buyer_required',
        `The order has no buyer yet. Set the buyer with PUT /orders/${id}/buyer, then pay. Nothing was charged.`,
      )
    : null;
}

function refusePending(order: OrderRow): Problem | null {
  const pending = order.payments.filter(({ status }) => status === 'pending').length;
  return pending < maxPending
    ? null
    : new Problem('wrong_state', `This order has ${pending} pending payments. Pay one of them or place a new order.`);
}

async function write(tx: Tx, limits: Limits, accepted: readonly AcceptedPayment[]): Promise<void> {
  const approved = accepted.flatMap(({ result }) => ('charge' in result ? [] : [result]));
  const pending = accepted.flatMap(({ order, result }) => ('charge' in result ? [{ order, ...result }] : []));
  const rows = accepted
    .filter(({ payment }) => payment.amount > 0)
    .map(({ order, payment, result }) => ({ ...payment, event_id: order.event_id, order_id: order.id, created_at: result.act.at }));
  const changes = pending.map(({ act, order, charge: { reference, amount } }) => {
    const after = { payment: { method: 'pix', status: 'pending', reference, amount } };
    return { act, change: { subject: 'order' as const, id: order.id, eventId: order.event_id, after } };
  });
  const charges = pending.map(({ charge }) => charge);
  await writeApprovals(tx, limits, approved, {
    statements: [insertPayments(rows), ...(charges.length > 0 ? [insertCharges(charges)] : []), ...recordAll(changes)],
  });
}
