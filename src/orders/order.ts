import { isAllowed } from '../accounts/roles.ts';
import type { StockLine } from '../catalog/stock.ts';
import type { Act } from '../kernel/act.ts';
import type { RowKey } from '../kernel/ids-by-event.ts';
import { Problem } from '../kernel/problem.ts';
import type { Row } from '../postgres/schema.ts';
import type { NewOrder } from './contract.ts';
import { type DisputeRow, describeDispute } from './dispute.ts';
import type { Order } from './order-schemas.ts';
import { describePayment, type PaymentRow } from './payment.ts';
import { describeRefund, type RefundRow } from './refund.ts';

/** The duration of a hold, and of its extension. */
export const holdMs = 10 * 60_000;

export interface OrderRequest {
  act: Act;
  order: NewOrder;
}

export const keyOf = ({ event_id: eventId, id }: Pick<OrderRow, 'event_id' | 'id'>): RowKey => ({ eventId, id });

/** An order with its lines, payments, refunds and disputes. */
export interface OrderRow extends Omit<Row<'ticket_order'>, 'closed_at'> {
  producer_id: number;
  event_status: string;
  lines: LineRow[];
  /** The payments, oldest first. */
  payments: PaymentRow[];
  /** The refunds, oldest first. */
  refunds: RefundRow[];
  /** The disputes, oldest first. */
  disputes: DisputeRow[];
  /** Valid mail links of the order that requests contain. Set only if there are any. */
  links?: readonly { token_hash: Buffer }[];
}

export interface LineRow {
  itemId: number;
  name: string;
  sessionIds: number[];
  quantity: number;
  refunded: number;
  /** How many of the refunded tickets are back on sale. */
  restocked: number;
  price: number;
  feeSale: number;
  feeProducer: number;
  /** Whether the line counts against the order's passkey. */
  unlocked: boolean;
}

/**
 * Returns the status of an order at this time. A hold is expired from `expires_at` on, even if the worker has not updated the row yet.
 * `order-conditions.sql.ts` has the same rule for queries.
 */
export const statusAt = ({ status, expires_at }: Pick<OrderRow, 'status' | 'expires_at'>, at: Date): OrderRow['status'] =>
  status === 'held' && expires_at <= at ? 'expired' : status;

/** SQL conditions on `ticket_order o`: the rule of `statusAt`, and the search by buyer. Exports use them. */
export { holdHasExpired, isFoundBy } from './order-conditions.sql.ts';

export const holdExpired = (): Problem => new Problem('hold_expired', 'This hold has expired. Place a new order.');

/** Returns the order as the caller may see it. */
export function describeOrder(row: OrderRow, { actor, at }: Pick<Act, 'actor' | 'at'>): Order {
  const forCrew = isAllowed(actor, 'order.read', { producerId: row.producer_id, eventId: row.event_id });
  const refundedTotal = row.lines.reduce((sum, { refunded, price, feeSale }) => sum + refunded * (price + feeSale), 0);
  return {
    id: row.id,
    eventId: row.event_id,
    status: statusAt(row, at),
    appCategoryId: row.app_category_id,
    sessionId: row.session_id,
    lines: row.lines.map(({ itemId, name, quantity, refunded, price, feeSale }) => ({
      itemId,
      name,
      quantity,
      refunded,
      refundedAmount: refunded * (price + feeSale),
      price,
      feeSale,
      finalPrice: price + feeSale,
    })),
    total: row.total,
    refundedTotal,
    currency: row.currency,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
    extended: row.extended,
    approvedAt: row.approved_at?.toISOString() ?? null,
    // An order has at most one approved payment. All refunds go back through it.
    payments: row.payments.map((payment) => describePayment(payment, payment.status === 'approved' ? refundedTotal : 0)),
    refunds: row.refunds.map((refund) => describeRefund(refund, forCrew)),
    disputes: row.disputes.map((dispute) => describeDispute(row, dispute, forCrew)),
    buyer: row.buyer_email === null ? null : { name: row.buyer_name ?? '', email: row.buyer_email, document: row.buyer_document },
  };
}

/** Adds `testMoney` to orders. Its value comes from the configuration, which only the routes know. */
export function markTestMoney(testMoney: boolean) {
  const mark = <T extends object>(order: T) => ({ ...order, testMoney });
  const markAll = <T extends object>(outcomes: readonly (T | Problem)[]) =>
    outcomes.map((outcome) => (outcome instanceof Problem ? outcome : mark(outcome)));
  return { mark, markAll };
}

export const stockLinesOf = ({ app_category_id, lines }: OrderRow): StockLine[] =>
  lines.map(({ itemId, sessionIds, quantity }) => ({ itemId, sessionIds, quantity, channel: app_category_id }));

/** Returns how many tickets of these lines count against the limit of the order's passkey. */
export const countPasskeyTickets = (lines: readonly { unlocked: boolean; quantity: number }[]): number =>
  lines.reduce((sum, { unlocked, quantity }) => sum + (unlocked ? quantity : 0), 0);
