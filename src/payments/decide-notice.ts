import type { NewPosting } from '../orders/ledger.ts';
import type { PaymentRow } from '../orders/payment.ts';

/** The reason why received money is sent back without buying tickets. */
export type ReturnReason = Exclude<NewPosting['reason'], 'sale' | 'refund'>;

export type Decision =
  /** `tooMuch` is the part of the amount that is sent back. */
  | { do: 'approve'; tooMuch: number }
  | { do: 'return'; reason: ReturnReason }
  | { do: 'decline' }
  | { do: 'ignore'; why: string }
  | { do: 'set_aside'; why: string };

export interface NoticeFacts {
  event: string;
  amount: number;
}

/** The state of the order. It does not include the stock: the caller checks later whether the tickets are still available. */
export interface OrderState {
  status: 'held' | 'expired' | 'cancelled' | 'approved' | 'refunded';
  eventCancelled: boolean;
}

/**
 * Decides the effect of a notice. `paid` takes precedence over `failed`, even if `failed` arrives first. A payment can be paid only once,
 * so further `paid` notices are ignored.
 */
export function decideNotice({ event, amount }: NoticeFacts, payment: PaymentRow, order: OrderState): Decision {
  if (event !== 'paid' && event !== 'failed') return { do: 'set_aside', why: `unknown event ${event}` };
  if (payment.status === 'approved' || payment.status === 'refunded') return { do: 'ignore', why: `the payment is ${payment.status}` };
  if (event === 'failed') return payment.status === 'pending' ? { do: 'decline' } : { do: 'ignore', why: 'the payment is declined' };
  if (order.status === 'approved' || order.status === 'refunded') return { do: 'return', reason: 'duplicate' };
  if (order.status === 'cancelled' || order.eventCancelled) return { do: 'return', reason: 'cancelled' };
  if (amount < payment.amount) return { do: 'return', reason: 'underpaid' };
  return { do: 'approve', tooMuch: amount - payment.amount };
}
