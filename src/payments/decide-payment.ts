import type { NewPosting } from '../orders/ledger.ts';
import { isOpen, type PaymentRow } from '../orders/payment.ts';
import type { ProviderPayment } from './providers/port.ts';

/** The reason why received money is sent back without buying tickets. */
export type ReturnReason = Extract<NewPosting['reason'], 'overpaid' | 'underpaid' | 'late' | 'duplicate' | 'cancelled' | 'sold_out'>;

export type Decision =
  /** `tooMuch` is the part of the amount that is sent back. */
  | { do: 'approve'; tooMuch: number }
  | { do: 'return'; reason: ReturnReason }
  | { do: 'wait' }
  | { do: 'decline' }
  | { do: 'ignore'; why: string };

/** The state of the order. It does not include the stock: the caller checks later whether the tickets are still available. */
export interface OrderState {
  status: 'held' | 'expired' | 'cancelled' | 'approved' | 'refunded';
  eventCancelled: boolean;
}

type Reported = Pick<ProviderPayment, 'status' | 'received'>;
type Known = Pick<PaymentRow, 'status' | 'amount' | 'action' | 'providerId'>;

/**
 * Decides the effect of what the provider reports. `paid` takes precedence over `failed`, even if `failed` arrives first. A payment can be
 * paid only once, so further reports of `paid` are ignored.
 */
export function decidePayment(reported: Reported, payment: Known, order: OrderState): Decision {
  if (payment.status === 'approved' || payment.status === 'refunded') return { do: 'ignore', why: `the payment is ${payment.status}` };
  if (reported.status === 'open') return decideOpen(payment);
  if (reported.status === 'failed') return isOpen(payment) ? { do: 'decline' } : { do: 'ignore', why: 'the payment is declined' };
  if (order.status === 'approved' || order.status === 'refunded') return { do: 'return', reason: 'duplicate' };
  if (order.status === 'cancelled' || order.eventCancelled) return { do: 'return', reason: 'cancelled' };
  if (reported.received < payment.amount) return { do: 'return', reason: 'underpaid' };
  return { do: 'approve', tooMuch: reported.received - payment.amount };
}

function decideOpen({ status, action, providerId }: Known): Decision {
  if (status === 'begun' || (status === 'pending' && (action === null || providerId === null))) return { do: 'wait' };
  return { do: 'ignore', why: status === 'pending' ? 'the payment is still open' : `the payment is ${status}` };
}
