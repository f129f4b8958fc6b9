import { systemAct } from '../kernel/act.ts';
import type { Database } from '../postgres/database.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { keepHouse } from './housekeeping.ts';

const everyMs = 10 * 60_000;

export interface WorkerLog {
  info(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

/** The background work of the service. Answers how to stop it; what is under way is finished first. */
export function startWorker(db: Database, clock: () => Date, log: WorkerLog): () => Promise<void> {
  let current = Promise.resolve();
  const tick = async () => {
    try {
      const removed = await inTransaction(db, {}, (tx) => keepHouse(tx, systemAct('housekeeping', clock())));
      if (removed) log.info({ removed }, 'housekeeping');
    } catch (error) {
      log.error({ err: error }, 'housekeeping failed');
    }
  };
  const timer = setInterval(() => {
    current = current.then(tick);
  }, everyMs);
  current = tick();
  return async () => {
    clearInterval(timer);
    await current;
  };
}
