import type { Act } from '../kernel/act.ts';
import type { Database } from '../postgres/database.ts';
import { withSessionLock } from '../postgres/session-lock.ts';
import { inTransaction } from '../postgres/transaction.ts';
import type { Chore } from './chores.ts';
import { insertDone, insertFailed } from './retention.sql.ts';

const housekeepingLock = 7_355_773;
/** Of one kind in one round. What is left then is for the next round. */
const mostPieces = 10_000;

interface Housekeeping {
  chores: readonly Chore[];
  log: { error(facts: object, message: string): void };
  /** Ends the round after the piece at hand. */
  signal?: AbortSignal;
}

/** What was removed by kind; null where that failed. */
export type Removed = Record<string, number | null>;

/**
 * Removes what has served its time, in small transactions: none of them can run into a timeout, and none keeps others waiting. A kind that
 * fails is logged and counted, and the others go on. One process at a time; for the others the result is null.
 */
export async function keepHouse(db: Database, act: Act, { chores, log, signal }: Housekeeping): Promise<Removed | null> {
  const round = async (): Promise<Removed> => {
    const removed: Removed = {};
    for (const chore of chores) {
      if (signal?.aborted) break;
      removed[chore.kind] = await clearAll(db, act, chore, signal).catch(async (error: unknown) => {
        log.error({ err: error, kind: chore.kind }, 'housekeeping failed');
        await insertFailed(db, chore.kind, String(error), act.at).catch(() => undefined);
        return null;
      });
    }
    return removed;
  };
  return (await withSessionLock(db, housekeepingLock, 0, round))?.done ?? null;
}

async function clearAll(db: Database, act: Act, { kind, most, clear }: Chore, signal?: AbortSignal): Promise<number> {
  let removed = 0;
  for (let pieces = 0; pieces < mostPieces && !signal?.aborted; pieces++) {
    const piece = await clear(db, act, most);
    removed += piece;
    if (piece < most) break;
  }
  await insertDone(db, kind, removed, act.at);
  return removed;
}

/** What would be removed now, by kind. Changes nothing. */
export async function previewHousekeeping(db: Database, act: Act, chores: readonly Chore[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { kind, count } of chores) {
    if (count) counts[kind] = await inTransaction(db, { readOnly: true }, (tx) => count(tx, act.at));
  }
  return counts;
}
