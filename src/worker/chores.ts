import { countExpiredLogins, forgetExpiredLogins, type LoginLeftover, loginLeftovers } from '../accounts/forget-expired.ts';
import type { Retention } from '../config.ts';
import { countOldExports, countStaleFiles, deleteOldExports } from '../exports/delete-old-exports.ts';
import { removeStaleFiles } from '../exports/start-exports.ts';
import { countOldKeys, forgetOldKeys } from '../http/idempotency.ts';
import type { Act } from '../kernel/act.ts';
import { anonymizeHolds, countHolds } from '../orders/anonymize-holds.ts';
import { type ChallengeLeftover, challengeLeftovers, countOldChallenges, forgetChallenges } from '../orders/forget-challenges.ts';
import { countOldNotices, forgetNotices } from '../payments/forget-notices.ts';
import { addAuditMonths, countAuditPartitions, dropAuditPartition, monthOf } from '../platform/audit-partitions.ts';
import type { Files } from '../platform/files/files.ts';
import {
  countErasableMails,
  countOldMailCounts,
  countOldMails,
  deleteOldMails,
  eraseOldMails,
  forgetMailCounts,
} from '../platform/mail/outbox.ts';
import type { Database, Tx } from '../postgres/database.ts';
import { inTransaction } from '../postgres/transaction.ts';

/** One kind of old data. */
export interface Chore {
  kind: string;
  /** How many are due; left out where nothing is removed. */
  count?(tx: Tx, at: Date): Promise<number>;
  /** How many are removed in one transaction. */
  most: number;
  /** Removes a piece; returns how many. Fewer than `most` says that nothing is left. */
  clear(db: Database, act: Act, most: number): Promise<number>;
}

const usualPiece = 1_000;
const dayMs = 86_400_000;

const daysBefore = (at: Date, days: number): Date => new Date(at.getTime() - days * dayMs);

/** A piece in one transaction. */
const inOne =
  (work: (tx: Tx, act: Act, most: number) => Promise<number>): Chore['clear'] =>
  (db, act, most) =>
    inTransaction(db, {}, (tx) => work(tx, act, most));

/** A kind whose age is configured in days; none where everything is kept. */
function aged(
  kind: string,
  days: number | null,
  count: (tx: Tx, before: Date) => Promise<number>,
  clear: (tx: Tx, act: Act, before: Date, most: number) => Promise<number>,
): Chore[] {
  if (days === null) return [];
  const work = inOne((tx, act, most) => clear(tx, act, daysBefore(act.at, days), most));
  return [{ kind, count: (tx, at) => count(tx, daysBefore(at, days)), most: usualPiece, clear: work }];
}

const logins = (kind: LoginLeftover): Chore => ({
  kind,
  count: (tx, at) => countExpiredLogins(tx, kind, at),
  most: usualPiece,
  clear: inOne((tx, { at }, most) => forgetExpiredLogins(tx, kind, at, most)),
});

const challenges = (kind: ChallengeLeftover): Chore => ({
  kind,
  count: (tx, at) => countOldChallenges(tx, kind, at),
  most: usualPiece,
  clear: inOne((tx, { at }, most) => forgetChallenges(tx, kind, at, most)),
});

/** What is removed after its time, in this order: files before the rows that name them, refresh tokens before their sessions. */
export const choresOf = (retention: Retention, files: Files): Chore[] => [
  ...loginLeftovers.map(logins),
  ...challengeLeftovers.map(challenges),
  {
    kind: 'idempotencyKeys',
    count: (tx, at) => countOldKeys(tx, at, retention.idempotencyDays),
    most: usualPiece,
    clear: inOne((tx, { at }, most) => forgetOldKeys(tx, at, retention.idempotencyDays, most)),
  },
  ...aged('holds', retention.holdDays, countHolds, anonymizeHolds),
  {
    kind: 'mailContents',
    count: countErasableMails,
    most: usualPiece,
    clear: inOne((tx, { at }, most) => eraseOldMails(tx, at, most)),
  },
  ...aged('mails', retention.mailDays, countOldMails, (tx, _act, before, most) => deleteOldMails(tx, before, most)),
  {
    kind: 'mailCounts',
    count: countOldMailCounts,
    most: usualPiece,
    clear: inOne((tx, { at }, most) => forgetMailCounts(tx, at, most)),
  },
  ...aged('paymentNotices', retention.noticeDays, countOldNotices, (tx, _act, before, most) => forgetNotices(tx, before, most)),
  { kind: 'exportFiles', count: countStaleFiles, most: 100, clear: (db, { at }) => removeStaleFiles({ db, files, clock: () => at }) },
  ...aged('exports', retention.exportDays, countOldExports, (tx, _act, before, most) => deleteOldExports(tx, before, most)),
  ...auditLog(retention.auditMonths),
];

/** Partitions, not entries. New ones are made beforehand, whether or not old ones are dropped. */
function auditLog(months: number | null): Chore[] {
  const making: Chore = {
    kind: 'auditPartitionsAhead',
    most: Number.POSITIVE_INFINITY,
    clear: inOne(async (tx, { at }) => {
      await addAuditMonths(tx, at);
      return 0;
    }),
  };
  if (months === null) return [making];
  const dropping: Chore = {
    kind: 'auditPartitions',
    count: (tx, at) => countAuditPartitions(tx, monthOf(at, -months)),
    most: 1,
    clear: inOne((tx, { at }) => dropAuditPartition(tx, monthOf(at, -months))),
  };
  return [making, dropping];
}
