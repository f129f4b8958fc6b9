import type { Act } from '../kernel/act.ts';
import type { Database } from '../postgres/database.ts';
import { withSessionLock } from '../postgres/session-lock.ts';
import { inTransaction } from '../postgres/transaction.ts';
import type { Chore } from './chores.ts';
import { saveFailure, saveSuccess } from './retention.sql.ts';

const housekeepingLock = 7_355_773;
/** The maximum number of batches per chore in one round. The next round continues with the rest. */
const maxBatches = 10_000;

interface Housekeeping {
  chores: readonly Chore[];
  log: { error(facts: object, message: string): void };
  /** Stops the housekeeping after the current batch. */
  signal?: AbortSignal;
}

/** The number of removed rows, by kind. Null if the chore failed. */
export type Removed = Record<string, number | null>;

/**
 * Removes old data in small transactions, which stay below the statement timeout and hold locks only briefly. If a chore fails, the failure
 * is logged and counted, and the next chore runs. Only one process runs this at a time. Returns null if another process is running it.
 */
export async function runHousekeeping(db: Database, act: Act, { chores, log, signal }: Housekeeping): Promise<Removed | null> {
  const round = async (): Promise<Removed> => {
    const removed: Removed = {};
    for (const chore of chores) {
      if (signal?.aborted) break;
      removed[chore.kind] = await removeAll(db, act, chore, signal).catch(async (error: unknown) => {
        log.error({ err: error, kind: chore.kind }, 'removing old data failed');
        await saveFailure(db, chore.kind, String(error), act.at).catch(() => undefined);
        return null;
      });
    }
    return removed;
  };
  return (await withSessionLock(db, housekeepingLock, 0, round))?.done ?? null;
}

async function removeAll(db: Database, act: Act, { kind, batchSize, removeBatch }: Chore, signal?: AbortSignal): Promise<number> {
  let removed = 0;
  for (let batches = 0; batches < maxBatches && !signal?.aborted; batches++) {
    const count = await removeBatch(db, act, batchSize);
    removed += count;
    if (count < batchSize) break;
  }
  await saveSuccess(db, kind, removed, act.at);
  return removed;
}

/** Returns the number of rows that housekeeping would remove now, by kind. Changes nothing. */
export async function previewHousekeeping(db: Database, act: Act, chores: readonly Chore[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { kind, count } of chores) {
    if (count) counts[kind] = await inTransaction(db, { readOnly: true }, (tx) => count(tx, act.at));
  }
  return counts;
}
