import type { NewPosting } from '../orders/ledger.ts';
import type { PaymentRow } from '../orders/payment.ts';

/** Why money is returned without buying tickets. */
export type ReturnReason = Exclude<NewPosting['reason'], 'sale' | 'refund'>;

export type Decision =
  /** `tooMuch` is returned. */
  | { do: 'approve'; tooMuch: number }
  | { do: 'return'; reason: ReturnReason }
  | { do: 'decline' }
  | { do: 'ignore'; why: string }
  | { do: 'set_aside'; why: string };

export interface NoticeFacts {
  event: string;
  amount: number;
}

/** The state of the order. Whether its tickets are still available is decided later, by the stock. */
export interface OrderState {
  status: 'held' | 'expired' | 'cancelled' | 'approved' | 'refunded';
  eventCancelled: boolean;
}

/**
 * Decides what a notice does. `paid` wins over `failed`, in whichever order they arrive. A payment can be paid only once, so further `paid`
 * notices are ignored.
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
