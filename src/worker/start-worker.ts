import { fireDueTriggers } from '../catalog/fire-triggers.ts';
import type { Config } from '../config.ts';
import { startExports } from '../exports/start-exports.ts';
import { type Act, systemAct } from '../kernel/act.ts';
import { expireOrders } from '../orders/expire-orders.ts';
import { openFiles } from '../platform/files/open-files.ts';
import type { Database, Tx } from '../postgres/database.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { keepHouse } from './housekeeping.ts';

interface WorkerLog {
  info(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

interface Duty {
  name: string;
  everyMs: number;
  /** Answers what was done, for the log; nothing when there was nothing to do. */
  work(tx: Tx, act: Act): Promise<unknown>;
}

/** A trigger fires within a second of its moment. */
const duties: Duty[] = [
  { name: 'housekeeping', everyMs: 10 * 60_000, work: keepHouse },
  { name: 'expireOrders', everyMs: 500, work: async (tx, act) => (await expireOrders(tx, act)) || null },
  { name: 'fireTriggers', everyMs: 500, work: async (tx, act) => (await fireDueTriggers(tx, act)) || null },
];

/** The background work of the service. Answers how to stop it; what is under way is finished first. */
export function startWorker(config: Config, db: Database, clock: () => Date, log: WorkerLog): () => Promise<void> {
  const stops = duties.map((duty) => repeat(duty, db, clock, log));
  stops.push(startExports({ db, files: openFiles(config), publicUrl: config.publicUrl, clock, log }));
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}

/** The next round begins its time after the last one ended: a slow database is not asked faster. */
function repeat({ name, everyMs, work }: Duty, db: Database, clock: () => Date, log: WorkerLog): () => Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const round = async (): Promise<void> => {
    try {
      const done = await inTransaction(db, {}, (tx) => work(tx, systemAct(name, clock())));
      if (done) log.info({ done }, name);
    } catch (error) {
      log.error({ err: error }, `${name} failed`);
    }
    if (!stopped) timer = setTimeout(begin, everyMs);
  };
  let current = round();
  function begin(): void {
    current = round();
  }
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await current;
  };
}
