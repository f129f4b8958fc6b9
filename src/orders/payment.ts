import type { OrderPayment } from './order-schemas.ts';

/** One attempt to pay an order. */
export interface PaymentRow {
  /** The id of the row; 0 if the row is not written yet. */
  id: number;
  provider: string;
  method: 'cash' | 'card' | 'pix' | 'boleto';
  status: 'begun' | 'pending' | 'approved' | 'declined' | 'refunded';
  /** The requested amount. */
  amount: number;
  received: number;
  /** The part of `received` that was sent back because it could not be used for the order. */
  returned: number;
  /** Our name of the payment at the provider. Null for payments that were decided at once. */
  reference: string | null;
  /** The provider's name of the payment. */
  providerId: string | null;
  expiresAt: string | null;
  action: OrderPayment['action'];
  failure: string | null;
  /** The provider's fee in cents. Null until it is known. */
  fee: number | null;
  createdAt: string;
}

/** Payments that the buyer may still pay. */
export const isOpen = ({ status }: Pick<PaymentRow, 'status'>): boolean => status === 'begun' || status === 'pending';

export function describePayment(row: PaymentRow, refunded: number): OrderPayment {
  const { provider, method, status, amount, received, returned, reference, expiresAt, action, failure, createdAt } = row;
  return {
    provider,
    method,
    status,
    amount,
    received,
    returned,
    refunded,
    reference,
    expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
    action,
    pixCode: method === 'pix' && action?.type === 'display' ? action.code : null,
    failure,
    createdAt: new Date(createdAt).toISOString(),
  };
}
