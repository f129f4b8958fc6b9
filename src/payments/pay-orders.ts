import type { Act } from '../kernel/act.ts';
import type { RowKey } from '../kernel/ids-by-event.ts';
import { Problem } from '../kernel/problem.ts';
import { type Approval, approve, type Limits, lockLimits, writeApprovals } from '../orders/approve-orders.ts';
import { type HoldToPay, holdToPay } from '../orders/hold-to-pay.ts';
import { platformShareOf } from '../orders/ledger.ts';
import { describeOrder, keyOf, type OrderRow } from '../orders/order.ts';
import { lockOrders, mayUse } from '../orders/order-access.ts';
import type { Order } from '../orders/order-schemas.ts';
import { isOpen, type PaymentRow } from '../orders/payment.ts';
import { recordAll } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import type { Statement } from '../postgres/pipeline.ts';
import type { PaymentBody } from './contract.ts';
import { endOtherPayments, insertPayments, type NewPaymentRow, selectPayouts } from './payments.sql.ts';
import type { AcceptedMethod, Providers } from './providers/open-providers.ts';
import { newReference } from './reference.ts';
import { refusePayment } from './refuse-payment.ts';

/** When the worker takes over, in case this process dies before it has called the provider. It is longer than the calls can take. */
const takeOverMs = 30_000;
/** A code that the buyer cannot pay in time is useless, so a payment lasts at least this long, even if the hold ends earlier. */
const shortestMs = 2 * 60_000;

export interface PaymentRules {
  providers: Providers;
  /** How long a buyer has to pay. The first payment of an order extends its hold by this time. */
  paymentMs: number;
}

export interface Payment extends RowKey {
  act: Act;
  secret: string | undefined;
  body: PaymentBody;
}

interface AcceptedPayment {
  act: Act;
  order: OrderRow;
  row: NewPaymentRow;
  /** Null if the provider decides later. */
  approval: Approval | null;
  /** Null if the hold stays as it is. */
  hold: HoldToPay | null;
}

type Payouts = Awaited<ReturnType<typeof selectPayouts>>;

/**
 * Pays a batch of orders in one transaction. Cash and sandbox cards are decided here. For other methods the payment is only begun:
 * `completePayment` calls the provider after the commit.
 */
export async function payOrders(tx: Tx, payments: readonly Payment[], rules: PaymentRules): Promise<(Order | Problem)[]> {
  const orders = await lockOrders(tx, payments);
  const limits = await lockLimits(tx, [...orders.values()]);
  const toBegin = payments.filter(({ body }) => rules.providers.methods.get(body.method)?.atOnce === false);
  const payouts = await readPayouts(tx, toBegin);
  const accepted: AcceptedPayment[] = [];
  const outcomes: (Order | Problem)[] = [];
  for (const payment of payments) {
    const { act, id } = payment;
    const outcome = await pay(tx, limits, orders.get(id), payment, { ...rules, payouts });
    if (outcome instanceof Problem) outcomes.push(outcome);
    else {
      const after = 'row' in outcome ? orderAfter(outcome) : outcome;
      if ('row' in outcome) accepted.push(outcome);
      orders.set(id, after);
      outcomes.push(describeOrder(after, act));
    }
  }
  if (accepted.length > 0) await write(tx, limits, accepted);
  return outcomes;
}

const readPayouts = async (tx: Tx, payments: readonly Payment[]): Promise<Payouts> =>
  payments.length === 0
    ? new Map()
    : selectPayouts(
        tx,
        payments.map(({ eventId }) => eventId),
      );

/** Returns the order itself if a payment of this method is already open. */
async function pay(
  tx: Tx,
  limits: Limits,
  order: OrderRow | undefined,
  payment: Payment,
  rules: PaymentRules & { payouts: Payouts },
): Promise<AcceptedPayment | OrderRow | Problem> {
  const { act, secret, body } = payment;
  if (!order || !mayUse(order, act.actor, secret, 'order.sell')) return new Problem('not_found');
  const accepted = rules.providers.methods.get(body.method);
  const refusal = refusePayment(order, payment, accepted, rules.providers);
  if (refusal || !accepted) return refusal ?? new Problem('payment_method_unavailable');
  if (!accepted.atOnce) {
    return order.payments.some((each) => isOpen(each) && each.method === body.method) ? order : begin(order, payment, accepted, rules);
  }
  if (body.outcome === 'decline') {
    return new Problem(
      'payment_declined',
      `The card was declined and nothing was charged. The order is held until ${order.expires_at.toISOString()}. Try another card or payment method.`,
    );
  }
  const approval = await approve(tx, limits, order, act, body.method);
  if (!approval)
    return new Problem('sold_out', 'There are too few imported codes left for the tickets of this order. Nothing was charged.');
  return { act, order, row: { ...newRow(order, payment, accepted), received: order.total, status: 'approved' }, approval, hold: null };
}

function begin(order: OrderRow, payment: Payment, method: AcceptedMethod, rules: PaymentRules & { payouts: Payouts }): AcceptedPayment {
  const { act, body } = payment;
  const after = (ms: number) => new Date(act.at.getTime() + ms);
  const heldUntil = order.held_to_pay ? order.expires_at : latest(order.expires_at, after(rules.paymentMs));
  const payout = rules.payouts.get(order.event_id);
  const own = payout?.provider === method.provider ? payout.account : null;
  const row: NewPaymentRow = {
    ...newRow(order, payment, method),
    status: 'begun',
    reference: newReference(),
    expires_at: latest(heldUntil, after(shortestMs)),
    payout_account: own,
    platform_fee: own === null ? null : Math.min(platformShareOf(order.lines), order.total),
    buyer_address: method.needs?.includes('address') ? (body.address ?? null) : null,
    simulated: method.provider === 'sandbox' ? (body.outcome ?? 'approve') : null,
    due_at: after(takeOverMs),
  };
  const hold = order.held_to_pay ? null : { ...keyOf(order), expiresAt: heldUntil };
  return { act, order, row, approval: null, hold };
}

const latest = (a: Date, b: Date): Date => (a > b ? a : b);

const newRow = (order: OrderRow, { act, body }: Payment, { provider }: AcceptedMethod): Omit<NewPaymentRow, 'status'> => ({
  event_id: order.event_id,
  order_id: order.id,
  provider,
  method: body.method,
  amount: order.total,
  received: 0,
  reference: null,
  expires_at: null,
  payout_account: null,
  platform_fee: null,
  buyer_address: null,
  simulated: null,
  due_at: null,
  created_at: act.at,
});

function orderAfter({ act, order, row, approval, hold }: AcceptedPayment): OrderRow {
  const payment: PaymentRow = {
    ...row,
    id: 0,
    returned: 0,
    providerId: null,
    expiresAt: row.expires_at?.toISOString() ?? null,
    action: null,
    failure: null,
    fee: null,
    createdAt: act.at.toISOString(),
  };
  const paid = { ...order, payments: [...order.payments, payment] };
  if (approval) return { ...paid, status: 'approved', approved_at: act.at };
  return hold ? { ...paid, expires_at: hold.expiresAt, held_to_pay: true } : paid;
}

async function write(tx: Tx, limits: Limits, accepted: readonly AcceptedPayment[]): Promise<void> {
  const rows = accepted.map(({ row }) => row).filter(({ amount }) => amount > 0);
  const holds = accepted.flatMap(({ hold }) => hold ?? []);
  const changes = accepted
    .filter(({ approval }) => approval === null)
    .map(({ act, order, row: { method, provider, reference, amount } }) => {
      const after = { payment: { method, provider, status: 'begun', reference, amount } };
      return { act, change: { subject: 'order' as const, id: order.id, eventId: order.event_id, after } };
    });
  await writeApprovals(
    tx,
    limits,
    accepted.flatMap(({ approval }) => approval ?? []),
    {
      statements: [
        insertPayments(rows),
        ...(holds.length > 0 ? [holdToPay(holds)] : []),
        ...endOpenPayments(accepted),
        ...recordAll(changes),
      ],
    },
  );
}

/** A buyer whose order was paid in cash must not pay the open code too. The new payment is not open, so its id is not needed. */
function endOpenPayments(accepted: readonly AcceptedPayment[]): Statement[] {
  const paid = accepted.filter(({ approval, order }) => approval && order.payments.some(isOpen));
  const keys = paid.map(({ order }) => ({ eventId: order.event_id, orderId: order.id, id: 0 }));
  const [first] = paid;
  return first ? [endOtherPayments(keys, first.act.at)] : [];
}
