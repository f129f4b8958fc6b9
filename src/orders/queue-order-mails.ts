import type { Act } from '../kernel/act.ts';
import { type Locale, localeOfCurrency } from '../kernel/locale.ts';
import { addressLimit, type MailLimit, networkLimit } from '../platform/mail/mail-limits.ts';
import { queueLimitedMails, queueMails } from '../platform/mail/outbox.ts';
import type { Statement } from '../postgres/pipeline.ts';

export interface ApprovedOrder {
  eventId: number;
  orderId: number;
  locale: Locale;
  /** The address of the buyer; null if the buyer's data was erased. */
  email: string | null;
  free: boolean;
  act: Act;
  at: Date;
}

/** Mails per hour to one address. The limit for free orders is lower, because anybody could flood a stranger's mailbox with them. */
const maxFreeToAddress = 10;
const maxPaidToAddress = 50;
/**
 * Mails per day about free orders that anonymous callers place from one network. The limit is high, because many buyers may share a
 * network.
 */
const maxFreeFromNetwork = 200;

/** The language of a buyer. The language of a seller at the box office says nothing about the buyer. */
export const buyerLocale = ({ actor, locale }: Act): Locale | null => (actor.kind === 'anonymous' ? locale : null);

/** The language of mails about an order. */
export const mailLocale = ({ locale, currency }: { locale: Locale | null; currency: string }): Locale =>
  locale ?? localeOfCurrency(currency);

/** The deduplication keys of all mails about an order start with this. */
export const orderMailPrefix = (orderId: number): string => `order/${orderId}/`;

/**
 * Queues a mail with the tickets for each approved order. The queue stores only ids; the buyer and the ticket codes are read when the mail
 * is sent. This keeps the sale fast, and no address stays in the queue when an order is anonymized. No mail is queued above the limits.
 * Buyers can still read their tickets with the order's secret and request the mail later.
 */
export const queueConfirmations = (orders: readonly ApprovedOrder[]): Statement[] =>
  queueLimitedMails(
    orders.map((order) => ({
      mail: {
        kind: 'order_confirmation',
        eventId: order.eventId,
        recipient: null,
        locale: order.locale,
        payload: { eventId: order.eventId, orderId: order.orderId },
        dedupeKey: `${orderMailPrefix(order.orderId)}confirmation`,
        at: order.at,
      },
      limits: limitsOf(order),
    })),
  );

function limitsOf({ email, free, act, at }: ApprovedOrder): MailLimit[] {
  const toBuyer = email === null ? [] : [addressLimit(email, free ? maxFreeToAddress : maxPaidToAddress, at)];
  const isAnonymous = free && act.actor.kind === 'anonymous' && act.address !== null;
  return isAnonymous ? [...toBuyer, networkLimit(act.address ?? '', maxFreeFromNetwork, at)] : toBuyer;
}

/** The limit for mails that are requested again. The mails count against the same limit per address as confirmation mails. */
export const resendLimit = ({ email, free, at }: { email: string; free: boolean; at: Date }): MailLimit =>
  addressLimit(email, free ? maxFreeToAddress : maxPaidToAddress, at);

export interface RefundedPart {
  eventId: number;
  orderId: number;
  locale: Locale;
  lines: { itemId: number; quantity: number }[];
  amount: number;
  /** The number of refunded tickets of the order, including this refund. It makes the deduplication key of each refund unique. */
  refundedInAll: number;
  at: Date;
}

export const queueRefundMail = ({ eventId, orderId, locale, lines, amount, refundedInAll, at }: RefundedPart): Statement[] =>
  queueMails([
    {
      kind: 'order_refunded',
      eventId,
      recipient: null,
      locale,
      payload: { eventId, orderId, lines, amount },
      dedupeKey: `${orderMailPrefix(orderId)}refund/${refundedInAll}`,
      at,
    },
  ]);
