import type { Act } from '../kernel/act.ts';
import { type Approval, approve, type LateLimits, writeApprovals } from '../orders/approve-orders.ts';
import { feePosting, type NewPosting, returnPostings } from '../orders/ledger.ts';
import type { OrderRow } from '../orders/order.ts';
import type { PaymentRow } from '../orders/payment.ts';
import { type Change, recordAll } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import type { Statement } from '../postgres/pipeline.ts';
import { decidePayment, type ReturnReason } from './decide-payment.ts';
import { refuseLatePayment } from './late-payment.ts';
import { endOtherPayments, type SettledPayment, settlePayments } from './payments.sql.ts';
import type { ProviderPayment } from './providers/port.ts';
import { insertRefunds } from './refunds.sql.ts';
import { type Refunded, refundRows } from './refunds.ts';

/** What a report changed, in words. `changed` is false if nothing had to be changed. */
export interface Applied {
  changed: boolean;
  outcome: string;
}

/** The fee is often known only some seconds after the payment. */
const feeWaitMs = 60_000;

/**
 * Applies what providers report about payments to locked orders, one after the other, and keeps the results in memory. `write` then writes
 * the final state of each payment.
 */
export class PaymentBatch {
  readonly #act: Act;
  readonly #orders: Map<number, OrderRow>;
  readonly #limits: LateLimits;
  readonly #changes: { act: Act; change: Change }[] = [];
  readonly #approved: (Approval & { paymentId: number })[] = [];
  readonly #settled = new Map<number, SettledPayment>();
  readonly #postings: NewPosting[] = [];
  readonly #refunds: Refunded[] = [];

  constructor(act: Act, orders: Map<number, OrderRow>, limits: LateLimits) {
    this.#act = act;
    this.#orders = orders;
    this.#limits = limits;
  }

  /** `confirmedAt` is when the provider reported it. A payment that is confirmed after the hold expired is late. */
  async apply(tx: Tx, orderId: number, reference: string, reported: ProviderPayment, confirmedAt: Date): Promise<Applied> {
    const order = this.#orders.get(orderId);
    const payment = order?.payments.find((each) => each.reference === reference);
    if (!order || !payment) throw new Error(`Payment ${reference} does not belong to order ${orderId}`);
    const decision = decidePayment(reported, payment, { status: order.status, eventCancelled: order.event_status === 'cancelled' });
    if (decision.do === 'ignore') return this.#noteFee(order, payment, reported) ?? { changed: false, outcome: decision.why };
    const known: PaymentRow = { ...payment, providerId: reported.providerId || payment.providerId, action: null, failure: null };
    if (decision.do === 'wait') return this.#settle(order, { ...known, status: 'pending', action: reported.action }, 'pending');
    if (decision.do === 'decline') {
      const outcome = reported.refusal === undefined ? 'declined' : `declined: ${reported.refusal}`;
      return this.#settle(order, { ...known, status: 'declined', failure: reported.failure }, outcome);
    }
    if (decision.do === 'return') return this.#return(order, known, reported, decision.reason);
    const late = refuseLatePayment(this.#limits.reacquired, order, confirmedAt);
    if (late !== null) return this.#return(order, known, reported, 'late', late);
    const approval = await approve(tx, this.#limits, order, this.#act, payment.method);
    if (!approval) return this.#return(order, known, reported, 'sold_out');
    this.#approved.push({ ...approval, paymentId: payment.id });
    this.#sendBack(order, payment, decision.tooMuch, 'overpaid');
    const paid: PaymentRow = { ...known, status: 'approved', received: reported.received, returned: decision.tooMuch };
    const approved = { ...order, status: 'approved' as const, approved_at: this.#act.at };
    return this.#settle(approved, this.#withFee(order, paid, reported.fee), 'approved');
  }

  /** Sends the whole received amount back. The outcome is the reason, with `why` as its detail. */
  #return(order: OrderRow, payment: PaymentRow, { received, fee }: ProviderPayment, reason: ReturnReason, why?: string): Applied {
    this.#sendBack(order, payment, received, reason);
    const outcome = why === undefined ? `refunded: ${reason}` : `refunded: ${reason}, ${why}`;
    const returned: PaymentRow = { ...payment, status: 'refunded', received, returned: received };
    return this.#settle(order, this.#withFee(order, returned, fee), outcome);
  }

  #sendBack(order: OrderRow, payment: PaymentRow, amount: number, reason: ReturnReason): void {
    if (amount === 0) return;
    const { event_id: eventId, id: orderId } = order;
    this.#postings.push(...returnPostings({ eventId, orderId, method: payment.method, reason, amount, at: this.#act.at }));
    this.#refunds.push({ eventId, orderId, payment, amount, reason, at: this.#act.at });
  }

  /** The fee may be reported after the payment was decided. */
  #noteFee(order: OrderRow, payment: PaymentRow, { fee }: ProviderPayment): Applied | null {
    if (fee === null || payment.fee !== null || payment.received === 0) return null;
    return this.#settle(order, this.#withFee(order, payment, fee), `fee ${fee}`);
  }

  /** Posts the fee of the provider once, when it is first known. */
  #withFee(order: OrderRow, payment: PaymentRow, fee: number | null): PaymentRow {
    if (fee === null || payment.fee !== null) return payment;
    const { event_id: eventId, id: orderId } = order;
    const { provider, method } = payment;
    if (fee > 0) this.#postings.push(feePosting({ eventId, orderId, provider, method, amount: fee, at: this.#act.at }));
    return { ...payment, fee };
  }

  #settle(order: OrderRow, payment: PaymentRow, outcome: string): Applied {
    const before = order.payments.find(({ id }) => id === payment.id);
    const { reference, status, received, returned, fee } = payment;
    const change = {
      subject: 'order' as const,
      id: order.id,
      eventId: order.event_id,
      before: { payment: { reference, status: before?.status } },
      after: { payment: { reference, status, received, returned, ...(fee !== null && { fee }), outcome } },
    };
    this.#changes.push({ act: this.#act, change });
    this.#settled.set(payment.id, { ...payment, eventId: order.event_id, dueAt: this.#dueAt(payment) });
    this.#orders.set(order.id, { ...order, payments: order.payments.map((each) => (each.id === payment.id ? payment : each)) });
    return { changed: true, outcome };
  }

  /** A pending payment is cancelled at its end. A payment with an unknown fee is read again. */
  #dueAt({ status, expiresAt, fee }: PaymentRow): Date | null {
    if (status === 'pending') return expiresAt === null ? null : new Date(expiresAt);
    return status !== 'declined' && fee === null ? new Date(this.#act.at.getTime() + feeWaitMs) : null;
  }

  async write(tx: Tx, statements: readonly Statement[] = []): Promise<void> {
    const settled = [...this.#settled.values()];
    const paid = this.#approved.map(({ order, paymentId }) => ({ eventId: order.event_id, orderId: order.id, id: paymentId }));
    await writeApprovals(tx, this.#limits, this.#approved, {
      postings: this.#postings,
      statements: [
        ...statements,
        ...(settled.length > 0 ? [settlePayments(settled)] : []),
        ...(paid.length > 0 ? [endOtherPayments(paid, this.#act.at)] : []),
        ...(this.#refunds.length > 0 ? [insertRefunds(refundRows(this.#refunds))] : []),
        ...recordAll(this.#changes),
      ],
    });
  }
}
