import { fireDueTriggers } from '../catalog/fire-triggers.ts';
import type { Config } from '../config.ts';
import { startExports } from '../exports/start-exports.ts';
import { type Act, systemAct } from '../kernel/act.ts';
import { expireOrders } from '../orders/expire-orders.ts';
import { refundCancelled } from '../orders/refund-cancelled.ts';
import { applyNotices } from '../payments/apply-notices.ts';
import { reconcilePayments } from '../payments/reconcile-payments.ts';
import { returnMoney } from '../payments/return-money.ts';
import { runSandbox } from '../payments/run-sandbox.ts';
import type { Files } from '../platform/files/files.ts';
import { openFiles } from '../platform/files/open-files.ts';
import { createMailer, mailboxFolder } from '../platform/mail/create-mailer.ts';
import { clearMailbox } from '../platform/mail/mailbox.ts';
import type { Mailer } from '../platform/mail/mailer.ts';
import { sendMail } from '../platform/mail/send-mail.ts';
import type { Database, Tx } from '../postgres/database.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { choresOf } from './chores.ts';
import { keepHouse, type Removed } from './housekeeping.ts';
import { mailPace } from './mail-pace.ts';
import { renderersOf } from './renderers.ts';

interface WorkerLog {
  info(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

interface Duty {
  name: string;
  everyMs: number;
  /** Answers what was done, for the log; nothing when there was nothing to do. */
  work(db: Database, act: Act, signal: AbortSignal): Promise<unknown>;
}

/** What is done in one transaction. */
const inOne =
  (work: (tx: Tx, act: Act) => Promise<unknown>): Duty['work'] =>
  (db, act) =>
    inTransaction(db, {}, (tx) => work(tx, act));

/** A trigger fires within a second of its moment. */
export function dutiesOf(config: Config, mailer: Mailer, files: Files, log: WorkerLog): Duty[] {
  const office = { mailer, renderers: renderersOf(config), from: config.mailFrom };
  const folder = mailboxFolder(config);
  const pace = mailPace();
  return [
    {
      name: 'housekeeping',
      everyMs: 10 * 60_000,
      work: async (db, act, signal) => removedOf(await keepHouse(db, act, { chores: choresOf(config.retention, files), log, signal })),
    },
    { name: 'expireOrders', everyMs: 500, work: inOne(async (tx, act) => (await expireOrders(tx, act)) || null) },
    ...(config.payments.has('sandbox') ? sandboxDuties : []),
    { name: 'applyNotices', everyMs: 500, work: inOne(async (tx, act) => (await applyNotices(tx, act)) || null) },
    { name: 'refundCancelled', everyMs: 500, work: (db, act, signal) => refundCancelled(db, act, signal, returnMoney) },
    { name: 'fireTriggers', everyMs: 500, work: inOne(async (tx, act) => (await fireDueTriggers(tx, act)) || null) },
    { name: 'sendMail', everyMs: 1_000, work: (db, { at }, signal) => pace((most) => sendMail(db, office, at, { most, signal })) },
    { name: 'clearMailbox', everyMs: 60 * 60_000, work: async (_db, { at }) => folder !== null && (await clearMailbox(folder, at)) },
  ];
}

/** Only while the sandbox is on: its books approve orders. */
const sandboxDuties: Duty[] = [
  { name: 'runSandbox', everyMs: 500, work: inOne(async (tx, act) => (await runSandbox(tx, act)) || null) },
  { name: 'reconcilePayments', everyMs: 60_000, work: inOne(async (tx, act) => somethingIn(await reconcilePayments(tx, act))) },
];

/** The kinds of which something was removed; failures are logged where they happen. */
function removedOf(removed: Removed | null): Removed | null {
  const some = Object.entries(removed ?? {}).filter(([, count]) => count);
  return some.length === 0 ? null : Object.fromEntries(some);
}

const somethingIn = <T>(list: readonly T[]): readonly T[] | null => (list.length > 0 ? list : null);

/** The background work of the service. Answers how to stop it; what is under way is finished first. */
export function startWorker(config: Config, db: Database, clock: () => Date, log: WorkerLog): () => Promise<void> {
  const mailer = createMailer(config);
  const files = openFiles(config);
  const stops = dutiesOf(config, mailer, files, log).map((duty) => repeat(duty, db, clock, log));
  stops.push(startExports({ db, files, publicUrl: config.publicUrl, clock, log }));
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
    mailer.close();
  };
}

/** The next round begins its time after the last one ended: a slow database is not asked faster. */
function repeat({ name, everyMs, work }: Duty, db: Database, clock: () => Date, log: WorkerLog): () => Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const stopped = new AbortController();
  const round = async (): Promise<void> => {
    try {
      const done = await work(db, systemAct(name, clock()), stopped.signal);
      if (done) log.info({ done }, name);
    } catch (error) {
      log.error({ err: error }, `${name} failed`);
    }
    if (!stopped.signal.aborted) timer = setTimeout(begin, everyMs);
  };
  let current = round();
  function begin(): void {
    current = round();
  }
  return async () => {
    stopped.abort();
    clearTimeout(timer);
    await current;
  };
}
