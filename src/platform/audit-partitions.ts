import type { Tx } from '../postgres/database.ts';
import {
  addMonth,
  dropPartition,
  isInDefault,
  type Partition,
  renewDefault,
  selectNewestInDefault,
  selectPartitions,
  waitBriefly,
} from './audit-partitions.sql.ts';

/** A worker that is away for a quarter still finds room. After that, entries go to the default partition. */
const monthsAhead = 3;

/** The first moment of the month, in UTC, so many months later. */
export const monthOf = (at: Date, later = 0): Date => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + later, 1));

const covers = ({ from, to }: Partition, month: Date): boolean => (from === null || from <= month) && month < to;

/** Makes the partitions of this month and the next ones, where they are missing. Returns how many. */
export async function addAuditMonths(tx: Tx, at: Date): Promise<number> {
  const known = await selectPartitions(tx);
  let added = 0;
  for (let later = 0; later <= monthsAhead; later++) {
    const [month, next] = [monthOf(at, later), monthOf(at, later + 1)];
    if (known.some((partition) => covers(partition, month)) || (await isInDefault(tx, month, next))) continue;
    await waitBriefly(tx);
    await addMonth(tx, month);
    added++;
  }
  return added;
}

/** How many partitions have nothing but entries from before that time. */
export async function countAuditPartitions(tx: Tx, before: Date): Promise<number> {
  const old = (await selectPartitions(tx)).filter(({ to }) => to <= before);
  return old.length + ((await isDefaultOld(tx, before)) ? 1 : 0);
}

/** Drops the oldest of those, one at a time: while it is dropped nobody can write. Returns how many. */
export async function dropAuditPartition(tx: Tx, before: Date): Promise<number> {
  const oldest = (await selectPartitions(tx)).find(({ to }) => to <= before);
  await waitBriefly(tx);
  if (oldest) await dropPartition(tx, oldest.name);
  else if (await isDefaultOld(tx, before)) await renewDefault(tx);
  else return 0;
  return 1;
}

async function isDefaultOld(tx: Tx, before: Date): Promise<boolean> {
  const newest = await selectNewestInDefault(tx);
  return newest !== null && newest < before;
}
