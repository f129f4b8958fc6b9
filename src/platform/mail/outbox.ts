import type { Locale } from '../../kernel/locale.ts';
import { retryLater } from '../../kernel/problem.ts';
import type { Tx } from '../../postgres/database.ts';
import { countOld, deleteOld } from '../../postgres/old-rows.ts';
import { executeAll, type Statement } from '../../postgres/pipeline.ts';
import { type MailLimit, nextHour } from './mail-limits.ts';
import {
  countMail,
  countsBefore,
  endedBefore,
  erasedBefore,
  eraseEndedBefore,
  forgetMails,
  insertLimitedMails,
  insertMails,
  type NewMailRow,
  selectQueuedSince,
} from './outbox.sql.ts';

/** What each kind of mail is made from when it is sent. As little as will do: ids of what the database knows. */
export interface MailPayloads {
  order_confirmation: { eventId: number; orderId: number };
  order_refunded: { eventId: number; orderId: number; lines: { itemId: number; quantity: number }[]; amount: number };
  export_ready: {
    eventTitle: string;
    /** What was exported, as the request called it, e.g. `orders`. */
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
    /** Null for a kind whose renderer finds the address itself. */
    recipient: string | null;
    locale: Locale;
    payload: MailPayloads[K];
    /** Begins with what the mail is about: `order/1001/confirmation`. The same key twice queues one mail. No personal data. */
    dedupeKey: string;
    at: Date;
  };
}[MailKind];

/** Written in the transaction of what it tells of: there is a mail if and only if that happened. */
export async function queueMail(tx: Tx, mail: NewMail): Promise<void> {
  await executeAll(tx, queueMails([mail]));
}

/** The same for any number of mails, to be written together with what they tell of. */
export const queueMails = (mails: readonly NewMail[]): Statement[] => (mails.length === 0 ? [] : [insertMails(mails.map(toRow))]);

export interface LimitedMail {
  mail: NewMail;
  limits: readonly MailLimit[];
}

/** Queues the mails that are within all their limits; the others are never sent. */
export const queueLimitedMails = (asked: readonly LimitedMail[]): Statement[] =>
  asked.length === 0
    ? []
    : [
        insertLimitedMails(
          asked.map(({ mail }) => toRow(mail)),
          asked.flatMap(({ limits }, mail) => limits.map((limit) => ({ mail, ...limit }))),
        ),
      ];

/** Counts one more mail of the hour, or says how long to wait. Throwing undoes the count. */
export async function requireWithin(tx: Tx, limit: MailLimit, at: Date): Promise<void> {
  if ((await countMail(tx, limit)) <= limit.most) return;
  const waitMs = nextHour(at).getTime() - at.getTime();
  throw retryLater('rate_limited', waitMs / 1000, 'Too many mails went to this address in the last hour; try again later');
}

const toRow = ({ kind, recipient, locale, payload, dedupeKey, at }: NewMail): NewMailRow => ({
  kind,
  recipient,
  locale,
  payload,
  dedupe_key: dedupeKey,
  created_at: at,
});

/** When mails whose keys begin so were queued after `since`, the latest first. */
export const queuedSince = (tx: Tx, about: string, since: Date): Promise<Date[]> => selectQueuedSince(tx, about, since);

/** All that is known of whom the mails went to whose keys begin so; those that are not sent yet never will be. */
export const forgetMailsAbout = (about: string): Statement => forgetMails(about);

export const mailKeptMs = 30 * 86_400_000;

const keptSince = (at: Date): Date => new Date(at.getTime() - mailKeptMs);

export const countErasableMails = (tx: Tx, at: Date): Promise<number> => countOld(tx, endedBefore(keptSince(at)));

/** The content and the recipient of a mail are kept for a month after it was written. Erases at most so many; returns how many. */
export const eraseOldMails = (tx: Tx, at: Date, most = 1_000): Promise<number> => eraseEndedBefore(tx, keptSince(at), most);

export const countOldMails = (tx: Tx, before: Date): Promise<number> => countOld(tx, erasedBefore(before));

/** Deletes what is left of mails from before that time. The same mail could be queued again after that. */
export const deleteOldMails = (tx: Tx, before: Date, most: number): Promise<number> => deleteOld(tx, erasedBefore(before), most);

/** The longest period is a day. */
const oldCounts = (at: Date) => countsBefore(new Date(at.getTime() - 2 * 86_400_000));

export const countOldMailCounts = (tx: Tx, at: Date): Promise<number> => countOld(tx, oldCounts(at));

export const forgetMailCounts = (tx: Tx, at: Date, most: number): Promise<number> => deleteOld(tx, oldCounts(at), most);
