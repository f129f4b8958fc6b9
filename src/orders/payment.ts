import type { OrderPayment } from './contract.ts';
import { pixCodeOf } from './pix-code.ts';

/** One try to pay an order, as it stands beside it. */
export interface PaymentRow {
  /** 0 for one that is about to be written. */
  id: number;
  method: 'cash' | 'card' | 'pix';
  status: 'pending' | 'approved' | 'declined' | 'refunded';
  /** What was asked for, what came, and what of that went back without buying anything. */
  amount: number;
  received: number;
  returned: number;
  /** Under which the provider knows it; null where it was paid on the spot. */
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
