import type { Tx } from '../postgres/database.ts';
import {
  addMonth,
  dropPartition,
  isInDefault,
  limitLockWait,
  type Partition,
  renewDefault,
  selectNewestInDefault,
  selectPartitions,
} from './audit-partitions.sql.ts';

/** Entries still have a partition if no worker runs for three months. After that they go to the default partition. */
const monthsAhead = 3;

/** Returns the start of the month (UTC) that is `later` months after `at`. */
export const monthOf = (at: Date, later = 0): Date => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + later, 1));

const covers = ({ from, to }: Partition, month: Date): boolean => (from === null || from <= month) && month < to;

/** Creates the missing partitions of this month and the next three. Returns how many it created. */
export async function addAuditMonths(tx: Tx, at: Date): Promise<number> {
  const known = await selectPartitions(tx);
  let added = 0;
  for (let later = 0; later <= monthsAhead; later++) {
    const [month, next] = [monthOf(at, later), monthOf(at, later + 1)];
    if (known.some((partition) => covers(partition, month)) || (await isInDefault(tx, month, next))) continue;
    await limitLockWait(tx);
    await addMonth(tx, month);
    added++;
  }
  return added;
}

/** Counts the partitions whose entries are all older than `before`. */
export async function countAuditPartitions(tx: Tx, before: Date): Promise<number> {
  const old = (await selectPartitions(tx)).filter(({ to }) => to <= before);
  return old.length + ((await isDefaultOld(tx, before)) ? 1 : 0);
}

/**
 * Drops the oldest of these partitions. Each call drops at most one partition, because writes to the log wait while a partition is dropped.
 * Returns 0 or 1.
 */
export async function dropAuditPartition(tx: Tx, before: Date): Promise<number> {
  const oldest = (await selectPartitions(tx)).find(({ to }) => to <= before);
  await limitLockWait(tx);
  if (oldest) await dropPartition(tx, oldest.name);
  else if (await isDefaultOld(tx, before)) await renewDefault(tx);
  else return 0;
  return 1;
}

async function isDefaultOld(tx: Tx, before: Date): Promise<boolean> {
  const newest = await selectNewestInDefault(tx);
  return newest !== null && newest < before;
}
