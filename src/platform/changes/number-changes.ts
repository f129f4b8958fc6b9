import type { Database, Tx } from '../../postgres/database.ts';
import { countOldRows, deleteOldRows } from '../../postgres/delete-old-rows.ts';
import { executeAll } from '../../postgres/pipeline.ts';
import { inTransaction, tryLock } from '../../postgres/transaction.ts';
import { deleteChanges, entriesBefore, insertFeedEntries, selectUnnumbered } from './changes.sql.ts';

const numberingLock = 7_355_775;
const batchSize = 1_000;

/**
 * Moves committed changes from the outbox into the feed, where they get their positions. Returns how many it moved.
 *
 * The id of a change is drawn before its commit, so a reader that follows ids would miss changes that are committed late. Positions are
 * assigned after the commit, by one transaction at a time. The lock is granted only after the previous positions are visible. If a change
 * was committed before another one was written, it has the lower id, so its position is lower too.
 */
export async function numberChanges(db: Database): Promise<number> {
  return inTransaction(db, {}, async (tx) => {
    if (!(await tryLock(tx, numberingLock))) return 0;
    const changes = await selectUnnumbered(tx, batchSize);
    if (changes.length > 0) await executeAll(tx, [insertFeedEntries(changes), deleteChanges(changes)]);
    return changes.length;
  });
}

export const countOldEntries = (tx: Tx, before: Date): Promise<number> => countOldRows(tx, entriesBefore(before));

export const deleteOldEntries = (tx: Tx, before: Date, limit: number): Promise<number> => deleteOldRows(tx, entriesBefore(before), limit);
