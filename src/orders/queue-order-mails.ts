import type { Act } from '../kernel/act.ts';
import { localeOfCurrency } from '../kernel/locale.ts';
import { addressLimit, type MailLimit, networkLimit } from '../platform/mail/mail-limits.ts';
import { queueLimitedMails, queueMails } from '../platform/mail/outbox.ts';
import type { Statement } from '../postgres/pipeline.ts';

export interface ApprovedOrder {
  eventId: number;
  orderId: number;
  currency: string;
  /** Null if the buyer was erased. */
  email: string | null;
  free: boolean;
  act: Act;
  at: Date;
}

/** Mails per hour to one address. Free orders could be used to flood somebody's mailbox, so their limit is lower. */
const mostFreeToAddress = 10;
const mostPaidToAddress = 50;
/** Mails per day about free orders that anonymous callers place from one network. Many buyers may share a network. */
const mostFreeFromNetwork = 200;

/** The deduplication keys of all mails about an order start with this. */
export const orderMailPrefix = (orderId: number): string => `order/${orderId}/`;

/**
 * Queues the mail with the tickets of each approved order. The queue stores only ids. The buyer and the ticket codes are read when the mail is
 * sent: this keeps the sale fast, and no address is left behind when an order is anonymized. Above the limits no mail is sent. Buyers can
 * still read their tickets with the order's secret, and request the mail later.
 */
export const queueConfirmations = (orders: readonly ApprovedOrder[]): Statement[] =>
  queueLimitedMails(
    orders.map((order) => ({
      mail: {
        kind: 'order_confirmation',
        recipient: null,
        locale: localeOfCurrency(order.currency),
        payload: { eventId: order.eventId, orderId: order.orderId },
        dedupeKey: `${orderMailPrefix(order.orderId)}confirmation`,
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

/** The limit for mails that buyers request again. It is the same as for the first mail. */
export const resendLimit = ({ email, free, at }: { email: string; free: boolean; at: Date }): MailLimit =>
  addressLimit(email, free ? mostFreeToAddress : mostPaidToAddress, at);

export interface RefundedPart {
  eventId: number;
  orderId: number;
  currency: string;
  lines: { itemId: number; quantity: number }[];
  amount: number;
  /** How many tickets of the order are refunded after this refund. It makes the deduplication key unique. */
  refundedInAll: number;
  at: Date;
}

export const queueRefundMail = ({ eventId, orderId, currency, lines, amount, refundedInAll, at }: RefundedPart): Statement[] =>
  queueMails([
    {
      kind: 'order_refunded',
      recipient: null,
      locale: localeOfCurrency(currency),
      payload: { eventId, orderId, lines, amount },
      dedupeKey: `${orderMailPrefix(orderId)}refund/${refundedInAll}`,
      at,
    },
  ]);
