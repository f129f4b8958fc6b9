import type { Act } from '../kernel/act.ts';
import { type Approval, approve, type LateLimits, writeApprovals } from '../orders/approve-orders.ts';
import type { NewPosting } from '../orders/ledger.ts';
import { returnPostings } from '../orders/ledger.ts';
import type { OrderRow } from '../orders/order.ts';
import type { PaymentRow } from '../orders/payment.ts';
import type { Change } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import type { Statement } from '../postgres/pipeline.ts';
import { decideNotice, type ReturnReason } from './decide-notice.ts';
import { refuseLatePayment } from './late-payment.ts';
import type { NoticeRow, NoticeUpdate } from './notices.sql.ts';
import { settlePayments } from './payments.sql.ts';
import { recordReturns } from './providers/sandbox.sql.ts';

type Result = Pick<NoticeUpdate, 'status' | 'outcome'>;

/**
 * Applies notices to locked orders, one after the other, and keeps the results in memory. `write` then writes the final state of each
 * payment.
 */
export class NoticeBatch {
  readonly changes: { act: Act; change: Change }[] = [];
  readonly #act: Act;
  readonly #orders: Map<number, OrderRow>;
  readonly #limits: LateLimits;
  readonly #approved: Approval[] = [];
  readonly #settled = new Map<number, PaymentRow & { eventId: number }>();
  readonly #postings: NewPosting[] = [];

  constructor(act: Act, orders: Map<number, OrderRow>, limits: LateLimits) {
    this.#act = act;
    this.#orders = orders;
    this.#limits = limits;
  }

  async apply(tx: Tx, orderId: number, notice: NoticeRow): Promise<Result> {
    const order = this.#orders.get(orderId);
    const payment = order?.payments.find(({ reference }) => reference === notice.reference);
    if (!order || !payment) throw new Error(`Payment ${notice.reference} does not belong to order ${orderId}`);
    const decision = decideNotice(notice, payment, { status: order.status, eventCancelled: order.event_status === 'cancelled' });
    if (decision.do === 'ignore') return { status: 'ignored', outcome: decision.why };
    if (decision.do === 'set_aside') return { status: 'set_aside', outcome: decision.why };
    if (decision.do === 'decline') return this.#settle(order, { ...payment, status: 'declined' }, 'declined');
    if (decision.do === 'return') return this.#return(order, payment, notice.amount, decision.reason);
    const late = refuseLatePayment(this.#limits.reacquired, order, notice.received_at);
    if (late !== null) return this.#return(order, payment, notice.amount, 'late', late);
    const approval = await approve(tx, this.#limits, order, this.#act, payment.method);
    if (!approval) return this.#return(order, payment, notice.amount, 'sold_out');
    this.#approved.push(approval);
    this.#post(order, payment, decision.tooMuch, 'overpaid');
    const paid: PaymentRow = { ...payment, status: 'approved', received: notice.amount, returned: decision.tooMuch };
    return this.#settle({ ...order, status: 'approved', approved_at: this.#act.at }, paid, 'approved');
  }

  /** Sends the whole received amount back. The outcome of the notice is the reason, with `why` as its detail. */
  #return(order: OrderRow, payment: PaymentRow, amount: number, reason: ReturnReason, why?: string): Result {
    this.#post(order, payment, amount, reason);
    const outcome = why === undefined ? `refunded: ${reason}` : `refunded: ${reason}, ${why}`;
    return this.#settle(order, { ...payment, status: 'refunded', received: amount, returned: amount }, outcome);
  }

  #post({ event_id: eventId, id: orderId }: OrderRow, { method }: PaymentRow, amount: number, reason: ReturnReason): void {
    if (amount > 0) this.#postings.push(...returnPostings({ eventId, orderId, method, reason, amount, at: this.#act.at }));
  }

  #settle(order: OrderRow, payment: PaymentRow, outcome: string): Result {
    const before = order.payments.find(({ id }) => id === payment.id);
    const { reference, status, received, returned } = payment;
    const change = {
      subject: 'order' as const,
      id: order.id,
      eventId: order.event_id,
      before: { payment: { reference, status: before?.status } },
      after: { payment: { reference, status, received, returned, outcome } },
    };
    this.changes.push({ act: this.#act, change });
    this.#settled.set(payment.id, { ...payment, eventId: order.event_id });
    this.#orders.set(order.id, { ...order, payments: order.payments.map((each) => (each.id === payment.id ? payment : each)) });
    return { status: 'applied', outcome };
  }

  async write(tx: Tx, statements: readonly Statement[]): Promise<void> {
    const settled = [...this.#settled.values()];
    const returns = settled.flatMap(({ reference, returned }) =>
      reference !== null && returned > 0 ? [{ reference, amount: returned }] : [],
    );
    await writeApprovals(tx, this.#limits, this.#approved, {
      postings: this.#postings,
      statements: [
        ...statements,
        ...(settled.length > 0 ? [settlePayments(settled)] : []),
        ...(returns.length > 0 ? [recordReturns(returns)] : []),
      ],
    });
  }
}
