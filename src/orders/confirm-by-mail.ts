import { localeOfCurrency } from '../kernel/locale.ts';
import { queueMails } from '../platform/mail/outbox.ts';
import type { Statement } from '../postgres/together.ts';

export interface ApprovedOrder {
  eventId: number;
  orderId: number;
  currency: string;
  at: Date;
}

/** Of all mails about an order: what their keys begin with. */
export const aboutOrder = (orderId: number): string => `order/${orderId}/`;

/**
 * Queues the mail with the tickets of each approved order. Only ids are written: who bought what is read, and the codes are made, when the
 * mail is sent, so that it costs the sale next to nothing, and an order that is anonymised leaves no address behind.
 */
export const confirmByMail = (orders: readonly ApprovedOrder[]): Statement[] =>
  queueMails(
    orders.map(({ eventId, orderId, currency, at }) => ({
      kind: 'order_confirmation',
      recipient: null,
      locale: localeOfCurrency(currency),
      payload: { eventId, orderId },
      dedupeKey: `${aboutOrder(orderId)}confirmation`,
      at,
    })),
  );

export interface RefundedPart {
  eventId: number;
  orderId: number;
  currency: string;
  lines: { itemId: number; quantity: number }[];
  amount: number;
  /** How many of its tickets are refunded now: no two refunds of an order have the same. */
  refundedInAll: number;
  at: Date;
}

export const tellRefund = ({ eventId, orderId, currency, lines, amount, refundedInAll, at }: RefundedPart): Statement[] =>
  queueMails([
    {
      kind: 'order_refunded',
      recipient: null,
      locale: localeOfCurrency(currency),
      payload: { eventId, orderId, lines, amount },
      dedupeKey: `${aboutOrder(orderId)}refund/${refundedInAll}`,
      at,
    },
  ]);
