import { countExpiredLoginData, deleteExpiredLoginData, type LoginDataKind, loginDataKinds } from '../accounts/delete-expired.ts';
import { countErasableHolders, eraseHolders } from '../codes/erase-holders.ts';
import type { Retention } from '../config.ts';
import { countOldDevices, deleteOldDevices } from '../door/devices.ts';
import { countOldExports, countStaleFiles, deleteOldExports } from '../exports/delete-old-exports.ts';
import { removeStaleFiles } from '../exports/start-exports.ts';
import { countOldKeys, forgetOldKeys } from '../http/idempotency.ts';
import type { Act } from '../kernel/act.ts';
import { anonymizeUnpaidOrders, countUnpaidOrders } from '../orders/anonymize-unpaid-orders.ts';
import { countOldChallenges, type DeletableChallengeData, deletableChallengeData, deleteOldChallenges } from '../orders/challenge.ts';
import { countExpiredLinks, deleteExpiredLinks } from '../orders/order-links.ts';
import { countErasableNotices, countOldNotices, deleteOldNotices, eraseNoticeTexts } from '../payments/notices.ts';
import { addAuditMonths, countAuditPartitions, dropAuditPartition, monthOf } from '../platform/audit-partitions.ts';
import { countOldEntries, deleteOldEntries } from '../platform/changes/number-changes.ts';
import type { Files } from '../platform/files/files.ts';
import {
  countErasableMails,
  countOldMailCounts,
  countOldMails,
  deleteOldMailCounts,
  deleteOldMails,
  eraseOldMails,
} from '../platform/mail/outbox.ts';
import { countUnusedPictures, removeUnusedPictures } from '../platform/pictures/picture-store.ts';
import type { Database, Tx } from '../postgres/database.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { countErasableEntries, countUnconfirmed, deleteUnconfirmed, eraseEntries } from '../waiting-list/retention.ts';
import { countOldDeliveries, deleteOldDeliveries } from '../webhooks/deliveries.ts';

/** Removes one kind of old data. */
export interface Chore {
  kind: string;
  /** Returns the number of rows that would be removed. Undefined for a chore that removes nothing. */
  count?(tx: Tx, at: Date): Promise<number>;
  /** The maximum number of rows that one transaction removes. */
  batchSize: number;
  /** Removes one batch and returns the number of removed rows. If it is less than `batchSize`, no old rows are left. */
  removeBatch(db: Database, act: Act, batchSize: number): Promise<number>;
}

const usualBatch = 1_000;
const dayMs = 86_400_000;

const daysBefore = (at: Date, days: number): Date => new Date(at.getTime() - days * dayMs);

const inOneTransaction =
  (work: (tx: Tx, act: Act, limit: number) => Promise<number>): Chore['removeBatch'] =>
  (db, act, limit) =>
    inTransaction(db, {}, (tx) => work(tx, act, limit));

/**
 * A chore for data that is kept for a configured number of days. Returns no chore if `days` is null, because the data is then kept forever.
 */
function olderThan(
  kind: string,
  days: number | null,
  count: (tx: Tx, before: Date) => Promise<number>,
  remove: (tx: Tx, act: Act, before: Date, limit: number) => Promise<number>,
): Chore[] {
  if (days === null) return [];
  const removeBatch = inOneTransaction((tx, act, limit) => remove(tx, act, daysBefore(act.at, days), limit));
  return [{ kind, count: (tx, at) => count(tx, daysBefore(at, days)), batchSize: usualBatch, removeBatch }];
}

const logins = (kind: LoginDataKind): Chore => ({
  kind,
  count: (tx, at) => countExpiredLoginData(tx, kind, at),
  batchSize: usualBatch,
  removeBatch: inOneTransaction((tx, { at }, limit) => deleteExpiredLoginData(tx, kind, at, limit)),
});

const challenges = (kind: DeletableChallengeData): Chore => ({
  kind,
  count: (tx, at) => countOldChallenges(tx, kind, at),
  batchSize: usualBatch,
  removeBatch: inOneTransaction((tx, { at }, limit) => deleteOldChallenges(tx, kind, at, limit)),
});

/** All chores in the order in which they run. Files are removed before the rows that name them, and refresh tokens before their sessions. */
export const choresOf = (retention: Retention, files: Files): Chore[] => [
  ...loginDataKinds.map(logins),
  ...deletableChallengeData.map(challenges),
  {
    kind: 'idempotencyKeys',
    count: (tx, at) => countOldKeys(tx, at, retention.idempotencyDays),
    batchSize: usualBatch,
    removeBatch: inOneTransaction((tx, { at }, limit) => forgetOldKeys(tx, at, retention.idempotencyDays, limit)),
  },
  ...olderThan('holds', retention.holdDays, countUnpaidOrders, anonymizeUnpaidOrders),
  {
    kind: 'orderLinks',
    count: countExpiredLinks,
    batchSize: usualBatch,
    removeBatch: inOneTransaction((tx, { at }, limit) => deleteExpiredLinks(tx, at, limit)),
  },
  {
    kind: 'doorDevices',
    count: countOldDevices,
    batchSize: usualBatch,
    removeBatch: inOneTransaction((tx, { at }, limit) => deleteOldDevices(tx, at, limit)),
  },
  {
    kind: 'waitingListUnconfirmed',
    count: countUnconfirmed,
    batchSize: usualBatch,
    removeBatch: inOneTransaction((tx, { at }, limit) => deleteUnconfirmed(tx, at, limit)),
  },
  ...olderThan('waitingList', retention.holdDays, countErasableEntries, (tx, _act, before, limit) => eraseEntries(tx, before, limit)),
  ...olderThan('codeHolders', retention.holderDays, countErasableHolders, eraseHolders),
  {
    kind: 'mailContents',
    count: countErasableMails,
    batchSize: usualBatch,
    removeBatch: inOneTransaction((tx, { at }, limit) => eraseOldMails(tx, at, limit)),
  },
  ...olderThan('mails', retention.mailDays, countOldMails, (tx, _act, before, limit) => deleteOldMails(tx, before, limit)),
  {
    kind: 'mailCounts',
    count: countOldMailCounts,
    batchSize: usualBatch,
    removeBatch: inOneTransaction((tx, { at }, limit) => deleteOldMailCounts(tx, at, limit)),
  },
  ...olderThan('paymentNotices', retention.noticeDays, countOldNotices, (tx, _act, before, limit) => deleteOldNotices(tx, before, limit)),
  ...olderThan('noticeContents', retention.noticeDays, countErasableNotices, (tx, _act, before, limit) =>
    eraseNoticeTexts(tx, before, limit),
  ),
  {
    kind: 'exportFiles',
    count: countStaleFiles,
    batchSize: 100,
    removeBatch: (db, { at }) => removeStaleFiles({ db, files, clock: () => at }),
  },
  {
    kind: 'pictures',
    count: countUnusedPictures,
    batchSize: 100,
    removeBatch: (db, { at }, limit) => removeUnusedPictures({ db, files }, at, limit),
  },
  ...olderThan('exports', retention.exportDays, countOldExports, (tx, _act, before, limit) => deleteOldExports(tx, before, limit)),
  ...olderThan('changes', retention.changeDays, countOldEntries, (tx, _act, before, limit) => deleteOldEntries(tx, before, limit)),
  ...olderThan('webhookDeliveries', retention.changeDays, countOldDeliveries, (tx, _act, before, limit) =>
    deleteOldDeliveries(tx, before, limit),
  ),
  ...auditLog(retention.auditMonths),
];

/** Drops old monthly partitions of the audit log. Creates partitions for the coming months, even if `months` is null and none is dropped. */
function auditLog(months: number | null): Chore[] {
  const createPartitions: Chore = {
    kind: 'auditPartitionsAhead',
    batchSize: Number.POSITIVE_INFINITY,
    removeBatch: inOneTransaction(async (tx, { at }) => {
      await addAuditMonths(tx, at);
      return 0;
    }),
  };
  if (months === null) return [createPartitions];
  const dropPartitions: Chore = {
    kind: 'auditPartitions',
    count: (tx, at) => countAuditPartitions(tx, monthOf(at, -months)),
    batchSize: 1,
    removeBatch: inOneTransaction((tx, { at }) => dropAuditPartition(tx, monthOf(at, -months))),
  };
  return [createPartitions, dropPartitions];
}
