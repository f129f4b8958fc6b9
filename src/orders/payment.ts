import type { OrderPayment } from './contract.ts';
import { pixCodeOf } from './pix-code.ts';

/** One attempt to pay an order. */
export interface PaymentRow {
  /** The id of the row; 0 if the row is not written yet. */
  id: number;
  method: 'cash' | 'card' | 'pix';
  status: 'pending' | 'approved' | 'declined' | 'refunded';
  /** The requested amount. */
  amount: number;
  received: number;
  /** The part of `received` that was sent back because it could not be used for the order. */
  returned: number;
  /** The provider's id of the payment. Null for cash and cards, because they are paid at once. */
  reference: string | null;
  createdAt: string;
}

export function describePayment(
  { method, status, amount, received, returned, reference, createdAt }: PaymentRow,
  refunded: number,
): OrderPayment {
  const pixCode = method === 'pix' && status === 'pending' && reference !== null ? pixCodeOf({ reference, amount }) : null;
  return { method, status, amount, received, returned, refunded, reference, pixCode, createdAt: new Date(createdAt).toISOString() };
}
