import type { MoneyBack, ReturnMoney } from '../orders/refund-order.ts';
import { newReference } from './reference.ts';
import { insertRefunds, type NewRefundRow } from './refunds.sql.ts';

/** Money that goes back, and why. */
export interface Refunded extends MoneyBack {
  reason: NewRefundRow['reason'];
}

/** The crew returns cash, and test money of sandbox cards needs nobody. The worker asks the provider to return any other money. */
export const refundRows = (refunds: readonly Refunded[]): NewRefundRow[] =>
  refunds.map(({ eventId, orderId, payment, amount, reason, at }) => {
    const common = { event_id: eventId, order_id: orderId, payment_id: payment.id, amount, reason, created_at: at };
    return payment.reference === null
      ? { ...common, status: 'done', reference: null, due_at: null, finished_at: at }
      : { ...common, status: 'begun', reference: newReference(), due_at: at, finished_at: null };
  });

/** Writes the money that goes back when tickets are refunded. */
export const returnMoney: ReturnMoney = (refunds) => insertRefunds(refundRows(refunds.map((each) => ({ ...each, reason: 'refund' }))));
