import { Problem } from '../kernel/problem.ts';
import type { OrderRow } from './order.ts';
import type { OrderDispute } from './order-schemas.ts';

/** A chargeback: the buyer asked the bank to take the money of a payment back. */
export interface DisputeRow {
  /** The id of the row; 0 if the row is not written yet. */
  id: number;
  paymentId: number;
  /** The provider's name of the dispute. */
  providerId: string;
  amount: number;
  fee: number;
  reason: string;
  status: OrderDispute['status'];
  /** How many movements of money the provider had reported. */
  movements: number;
  openedAt: string;
  closedAt: string | null;
}

/** The money that the bank has taken from the shop. It returns the money of a dispute that the shop has won. */
export const withdrawnBy = ({ status, amount }: Pick<DisputeRow, 'status' | 'amount'>): number => (status === 'won' ? 0 : amount);

/** Whether the payment that bought the tickets is disputed, and the dispute is not won. */
export function isDisputed({ payments, disputes }: Pick<OrderRow, 'payments' | 'disputes'>): boolean {
  const paid = payments.find(({ status }) => status === 'approved');
  return disputes.some(({ paymentId, status }) => paymentId === paid?.id && status !== 'won');
}

/** The bank and the provider must not return the same money. Most providers refuse a refund of a disputed payment too. */
export function requireUndisputed(order: OrderRow): void {
  if (!isDisputed(order)) return;
  throw new Problem(
    'wrong_state',
    'The buyer disputed the payment, so the bank decides about the money. Refund the order after the dispute is won.',
  );
}

/** The part of a disputed amount that also goes back as a refund. */
export function returnedTwice({ payments, refunds }: Pick<OrderRow, 'payments' | 'refunds'>, dispute: DisputeRow): number {
  const payment = payments.find(({ id }) => id === dispute.paymentId);
  const refunded = refunds
    .filter(({ paymentId, status }) => paymentId === dispute.paymentId && status !== 'failed')
    .reduce((sum, { amount }) => sum + amount, 0);
  return Math.min(Math.max(withdrawnBy(dispute) + refunded - (payment?.received ?? 0), 0), withdrawnBy(dispute));
}

export function describeDispute(order: OrderRow, dispute: DisputeRow, forCrew: boolean): OrderDispute {
  const { id, amount, fee, reason, status, openedAt, closedAt } = dispute;
  return {
    id,
    amount,
    fee: forCrew ? fee : null,
    reason,
    status,
    returnedTwice: returnedTwice(order, dispute),
    openedAt: new Date(openedAt).toISOString(),
    closedAt: closedAt === null ? null : new Date(closedAt).toISOString(),
  };
}
