import type { Act } from '../kernel/act.ts';
import { localeOfCurrency } from '../kernel/locale.ts';
import { addressLimit, type MailLimit, networkLimit } from '../platform/mail/mail-limits.ts';
import { queueLimitedMails, queueMails } from '../platform/mail/outbox.ts';
import type { Statement } from '../postgres/pipeline.ts';

export interface ApprovedOrder {
  eventId: number;
  orderId: number;
  currency: string;
  /** Null where who bought is erased. */
  email: string | null;
  free: boolean;
  act: Act;
  at: Date;
}

/** Mails about orders to one address in an hour. Orders that cost nothing could flood a stranger's mailbox; paid ones cost too much for that. */
const mostFreeToAddress = 10;
const mostPaidToAddress = 50;
/** Mails in a day about free orders that callers without an account placed from one network. Many buyers may share it. */
const mostFreeFromNetwork = 200;

/** Of all mails about an order: what their keys begin with. */
export const aboutOrder = (orderId: number): string => `order/${orderId}/`;

/**
 * Queues the mail with the tickets of each approved order. Only ids are written: who bought what is read, and the codes are made, when the
 * mail is sent, so that it costs the sale next to nothing, and an order that is anonymised leaves no address behind.
 * Beyond the limits no mail is sent: buyers still read their tickets with the order's secret, and may ask for the mail later.
 */
export const confirmByMail = (orders: readonly ApprovedOrder[]): Statement[] =>
  queueLimitedMails(
    orders.map((order) => ({
      mail: {
        kind: 'order_confirmation',
        recipient: null,
        locale: localeOfCurrency(order.currency),
        payload: { eventId: order.eventId, orderId: order.orderId },
        dedupeKey: `${aboutOrder(order.orderId)}confirmation`,
        at: order.at,
      },
      limits: limitsOf(order),
    })),
  );

function limitsOf({ email, free, act, at }: ApprovedOrder): MailLimit[] {
  const toBuyer = email === null ? [] : [addressLimit(email, free ? mostFreeToAddress : mostPaidToAddress, at)];
  const isAnonymous = free && act.actor.kind === 'anonymous' && act.address !== null;
  return isAnonymous ? [...toBuyer, networkLimit(act.address ?? '', mostFreeFromNetwork, at)] : toBuyer;
}

/** Of mails that buyers ask for again: a free order is no way around the limit of its first mail. */
export const resendLimit = ({ email, free, at }: { email: string; free: boolean; at: Date }): MailLimit =>
  addressLimit(email, free ? mostFreeToAddress : mostPaidToAddress, at);

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
