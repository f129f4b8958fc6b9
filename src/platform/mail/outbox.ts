import type { GaugeSource } from '../../http/metrics.ts';
import type { Locale } from '../../kernel/locale.ts';
import { retryLater } from '../../kernel/problem.ts';
import type { Database, Tx } from '../../postgres/database.ts';
import { countOldRows, deleteOldRows } from '../../postgres/delete-old-rows.ts';
import { executeAll, type Statement } from '../../postgres/pipeline.ts';
import { type MailLimit, startOfNextHour } from './mail-limits.ts';
import {
  countAgainstLimits,
  countMail,
  countMails,
  countsBefore,
  erasedBefore,
  eraseFinishedBefore,
  eraseMails,
  finishedBefore,
  insertLimitedMails,
  insertMails,
  type NewMailRow,
  selectLongestDelay,
  selectQueuedSince,
} from './outbox.sql.ts';

/** The producer's own account at a payment provider. */
interface PayoutOnMail {
  provider: string;
  account: string;
}

/** The data from which each kind of mail is rendered when it is sent. Use ids where the database has the data. */
export interface MailPayloads {
  order_confirmation: { eventId: number; orderId: number };
  order_refunded: { eventId: number; orderId: number; lines: { itemId: number; quantity: number }[]; amount: number };
  /** Sent to the earlier address of the buyer. */
  buyer_email_changed: { eventId: number; orderId: number };
  payout_changed: { producer: string; before: PayoutOnMail | null; after: PayoutOnMail | null };
  /** Somebody was added to a producer or to the crew of an event, whose name is `to`. */
  invitation: { userId: number; to: string; isEvent: boolean; inviter: string };
  /** The account is found by the address of the recipient. */
  password_reset: Record<string, never>;
  payment_disputed: {
    eventId: number;
    orderId: number;
    provider: string;
    status: 'open' | 'won' | 'lost';
    amount: number;
    fee: number;
    reason: string;
    /** The part of the amount that was also refunded. */
    returnedTwice: number;
  };
  /** Somebody asked to join the waiting list. */
  waiting_list_joined: { eventId: number; entryId: number };
  waiting_list_offer: { eventId: number; entryId: number };
  export_ready: {
    eventTitle: string;
    /** The `type` of the export request, e.g. `orders`. */
    type: string;
    format: string;
    rows: number;
    link: string;
    /** RFC 3339; shown in `timeZone`. */
    expiresAt: string;
    timeZone: string;
  };
}
export type MailKind = keyof MailPayloads;

export type NewMail = {
  [K in MailKind]: {
    kind: K;
    /** Leave it out if the mail belongs to no event. */
    eventId?: number;
    /** Null for kinds of mail whose renderer finds the address itself. */
    recipient: string | null;
    locale: Locale;
    payload: MailPayloads[K];
    /**
     * Starts with the subject of the mail: `order/1001/confirmation`. A second mail of the event with the same key is not queued. The key
     * must not contain personal data.
     */
    dedupeKey: string;
    at: Date;
  };
}[MailKind];

/** Writes the mail in the transaction of the change it reports, so that it is sent if and only if the change is committed. */
export async function queueMail(tx: Tx, mail: NewMail): Promise<void> {
  await executeAll(tx, queueMails([mail]));
}

/** Returns the statement that queues many mails, to be sent in one round trip with other writes. */
export const queueMails = (mails: readonly NewMail[]): Statement[] => (mails.length === 0 ? [] : [insertMails(mails.map(toRow))]);

export interface LimitedMail {
  mail: NewMail;
  limits: readonly MailLimit[];
}

/** Queues the mails that are within all their limits. The other mails are stored as failed. */
export function queueLimitedMails(mails: readonly LimitedMail[]): Statement[] {
  if (mails.length === 0) return [];
  const limits = mails.flatMap((each, mail) => each.limits.map((limit) => ({ mail, ...limit })));
  const rows = mails.map(({ mail }) => toRow(mail));
  return [countAgainstLimits(limits), insertLimitedMails(rows, limits)];
}

/** Counts a mail against an hourly limit. Throws `rate_limited` above the limit, which also rolls back the count. */
export async function requireWithinLimit(tx: Tx, limit: MailLimit, at: Date, detail = tooManyToAddress): Promise<void> {
  if ((await countMail(tx, limit)) <= limit.max) return;
  const waitMs = startOfNextHour(at).getTime() - at.getTime();
  throw retryLater('rate_limited', waitMs / 1000, detail);
}

const tooManyToAddress = 'Too many mails were sent to this address in this hour. Try again later.';

const toRow = ({ kind, eventId = 0, recipient, locale, payload, dedupeKey, at }: NewMail): NewMailRow => ({
  event_id: eventId,
  kind,
  recipient,
  locale,
  payload,
  dedupe_key: dedupeKey,
  created_at: at,
});

/** Returns the times after `since` at which mails of the event were queued whose dedupe key starts with `about`, latest first. */
export const queuedSince = (tx: Tx, eventId: number, about: string, since: Date): Promise<Date[]> =>
  selectQueuedSince(tx, eventId, about, since);

/** Erases content and recipient of the event's mails whose dedupe key starts with `about`. Mails that are still queued are not sent. */
export const eraseMailsAbout = (eventId: number, about: string): Statement => eraseMails(eventId, about);

/** A metric with the number of queued and failed mails, for operators to alert on. */
export const mailMetrics = (db: Database): GaugeSource[] => [
  {
    name: 'tessera_mails',
    help: 'Mails in the outbox by status: queued, or failed within the last month',
    label: 'status',
    read: async () => (await countMails(db)).map(({ status, n }) => [status, n] as const),
  },
  {
    name: 'tessera_outbox_age_seconds',
    help: 'For how long the mail that is due longest has been waiting',
    label: 'outbox',
    read: async () => [['mail', await selectLongestDelay(db)]],
  },
];

export const mailKeptMs = 30 * 86_400_000;

const keptSince = (at: Date): Date => new Date(at.getTime() - mailKeptMs);

export const countErasableMails = (tx: Tx, at: Date): Promise<number> => countOldRows(tx, finishedBefore(keptSince(at)));

/** Erases content and recipient of mails that are older than 30 days, at most `limit` per call. Returns how many it erased. */
export const eraseOldMails = (tx: Tx, at: Date, limit = 1_000): Promise<number> => eraseFinishedBefore(tx, keptSince(at), limit);

export const countOldMails = (tx: Tx, before: Date): Promise<number> => countOldRows(tx, erasedBefore(before));

/** Deletes the rows of erased mails. Their dedupe keys are deleted too, so the same mail could be queued again. */
export const deleteOldMails = (tx: Tx, before: Date, limit: number): Promise<number> => deleteOldRows(tx, erasedBefore(before), limit);

/** Counts that are older than two days. They are not needed, because the longest period of a limit is one day. */
const oldCounts = (at: Date) => countsBefore(new Date(at.getTime() - 2 * 86_400_000));

export const countOldMailCounts = (tx: Tx, at: Date): Promise<number> => countOldRows(tx, oldCounts(at));

export const deleteOldMailCounts = (tx: Tx, at: Date, limit: number): Promise<number> => deleteOldRows(tx, oldCounts(at), limit);
