import type { Row } from '../postgres/schema.ts';
import type { PaymentRow } from './payment.ts';

/** An order with its lines. */
export interface OrderRow extends Omit<Row<'ticket_order'>, 'closed_at'> {
  producer_id: number;
  event_status: string;
  lines: LineRow[];
  /** In the order in which they were begun. */
  payments: PaymentRow[];
}

export interface LineRow {
  itemId: number;
  name: string;
  sessionIds: number[];
  quantity: number;
  refunded: number;
  /** Of those, back on sale. */
  restocked: number;
  price: number;
  feeSale: number;
  feeProducer: number;
  unlocked: boolean;
}
