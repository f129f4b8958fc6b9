import type { NewPosting } from '../orders/ledger.ts';
import type { PaymentRow } from '../orders/payment.ts';

/** Why money goes back that bought nothing. */
export type ReturnReason = Exclude<NewPosting['reason'], 'sale' | 'refund'>;

export type Verdict =
  /** `tooMuch` goes back. */
  | { do: 'approve'; tooMuch: number }
  | { do: 'return'; reason: ReturnReason }
  | { do: 'decline' }
  | { do: 'ignore'; why: string }
  | { do: 'set_aside'; why: string };

export interface Told {
  event: string;
  amount: number;
}

/** The order as it is now, its hold aside: whether what it asked for is still there is for the stock to say. */
export interface ToPay {
  status: 'held' | 'expired' | 'cancelled' | 'approved' | 'refunded';
  eventCancelled: boolean;
}

/**
 * What a notice comes to. That money came is the stronger word: it counts after a failure, and a failure after it does not. A payment
 * is paid once, so that whoever tells it again tells nothing new.
 */
export function decideNotice({ event, amount }: Told, payment: PaymentRow, order: ToPay): Verdict {
  if (event !== 'paid' && event !== 'failed') return { do: 'set_aside', why: `unknown event ${event}` };
  if (payment.status === 'approved' || payment.status === 'refunded') return { do: 'ignore', why: `the payment is ${payment.status}` };
  if (event === 'failed') return payment.status === 'pending' ? { do: 'decline' } : { do: 'ignore', why: 'the payment is declined' };
  if (order.status === 'approved' || order.status === 'refunded') return { do: 'return', reason: 'duplicate' };
  if (order.status === 'cancelled' || order.eventCancelled) return { do: 'return', reason: 'cancelled' };
  if (amount < payment.amount) return { do: 'return', reason: 'underpaid' };
  return { do: 'approve', tooMuch: amount - payment.amount };
}
