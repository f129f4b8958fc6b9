import { fireDueTriggers } from '../catalog/fire-triggers.ts';
import type { Config } from '../config.ts';
import { startExports } from '../exports/start-exports.ts';
import { type Act, systemAct } from '../kernel/act.ts';
import { expireOrders } from '../orders/expire-orders.ts';
import { refundCancelled } from '../orders/refund-cancelled-event.ts';
import { applyNotices } from '../payments/apply-notices.ts';
import { finishPayments } from '../payments/finish-payments.ts';
import { finishRefunds } from '../payments/finish-refunds.ts';
import { openProviders, type Providers } from '../payments/providers/open-providers.ts';
import { reconcilePayments } from '../payments/reconcile-payments.ts';
import { returnMoney } from '../payments/refunds.ts';
import { runSandbox } from '../payments/run-sandbox.ts';
import type { Files } from '../platform/files/files.ts';
import { openFiles } from '../platform/files/open-files.ts';
import { createMailer, mailboxFolder } from '../platform/mail/create-mailer.ts';
import { clearMailbox } from '../platform/mail/mailbox.ts';
import type { Mailer } from '../platform/mail/mailer.ts';
import { sendMail } from '../platform/mail/send-mail.ts';
import { pageChannel } from '../platform/page-changes.ts';
import type { Connections, Database, Tx } from '../postgres/database.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { serveWaitingList } from '../waiting-list/serve-waiting-list.ts';
import { createPost } from '../webhooks/post.ts';
import { startWebhooks } from '../webhooks/start-webhooks.ts';
import { ChangedEvents } from './changed-events.ts';
import { choresOf } from './chores.ts';
import { type Removed, runHousekeeping } from './housekeeping.ts';
import { mailPace } from './mail-pace.ts';
import { mailRenderersOf } from './mail-renderers.ts';

interface WorkerLog {
  info(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

interface Job {
  name: string;
  everyMs: number;
  /** Whether the job holds a connection while it waits for another service. */
  long?: true;
  /** Runs the job once. Returns a summary for the log, or a falsy value if there was nothing to do. */
  work(db: Database, act: Act, signal: AbortSignal): Promise<unknown>;
}

const inOneTransaction =
  (work: (tx: Tx, act: Act) => Promise<unknown>): Job['work'] =>
  (db, act) =>
    inTransaction(db, {}, (tx) => work(tx, act));

export interface WorkerParts {
  mailer: Mailer;
  files: Files;
  providers: Providers;
  log: WorkerLog;
  /** Without it, every round of `serveWaitingList` searches all events. */
  changedEvents?: ChangedEvents;
}

/** Jobs with effects that users wait for run every 500 ms. For example, a trigger fires within a second. */
export function jobsOf(config: Config, { mailer, files, providers, log, changedEvents }: WorkerParts): Job[] {
  const mailSetup = { mailer, renderers: mailRenderersOf(config), from: config.mailFrom };
  const folder = mailboxFolder(config);
  const pace = mailPace();
  return [
    {
      name: 'housekeeping',
      everyMs: 10 * 60_000,
      work: async (db, act, signal) =>
        summaryOf(await runHousekeeping(db, act, { chores: choresOf(config.retention, files), log, signal })),
    },
    { name: 'expireOrders', everyMs: 500, work: async (db, act) => (await expireOrders(db, act)) || null },
    {
      name: 'serveWaitingList',
      everyMs: 500,
      work: async (db, act) => (await serveWaitingList(db, act, changedEvents?.take() ?? null)) || null,
    },
    ...(config.payments.has('sandbox') ? [sandboxJob] : []),
    ...(providers.byName.size > 0 ? providerJobs(providers) : []),
    { name: 'refundCancelled', everyMs: 500, work: (db, act, signal) => refundCancelled(db, act, signal, returnMoney) },
    { name: 'fireTriggers', everyMs: 500, work: inOneTransaction(async (tx, act) => (await fireDueTriggers(tx, act)) || null) },
    {
      name: 'sendMail',
      everyMs: 1_000,
      long: true,
      work: (db, { at }, signal) => pace((max) => sendMail(db, mailSetup, at, { max, signal })),
    },
    { name: 'clearMailbox', everyMs: 60 * 60_000, work: async (_db, { at }) => folder !== null && (await clearMailbox(folder, at)) },
  ];
}

/** Runs only while the sandbox is on, because sandbox charges approve orders without real money. */
const sandboxJob: Job = {
  name: 'runSandbox',
  everyMs: 500,
  work: inOneTransaction(async (tx, act) => (await runSandbox(tx, act)) || null),
};

/** The list of a provider is read over the last hours often, and over the last days seldom. */
const recently = { everyMs: 10 * 60_000, lookBackMs: 2 * 60 * 60_000 };
const thisWeek = { everyMs: 24 * 60 * 60_000, lookBackMs: 7 * 24 * 60 * 60_000 };

const providerJobs = (providers: Providers): Job[] => [
  { name: 'applyNotices', everyMs: 500, work: async (db, act) => (await applyNotices(db, act, providers)) || null },
  { name: 'finishPayments', everyMs: 500, work: async (db, act, signal) => (await finishPayments(db, act, providers, signal)) || null },
  { name: 'finishRefunds', everyMs: 500, work: async (db, act, signal) => (await finishRefunds(db, act, providers, signal)) || null },
  ...[recently, thisWeek].map(
    ({ everyMs, lookBackMs }): Job => ({
      name: 'reconcilePayments',
      everyMs,
      work: async (db, act, signal) =>
        nullIfEmpty(await reconcilePayments(db, act, providers, new Date(act.at.getTime() - lookBackMs), signal)),
    }),
  ),
];

/** Returns the kinds of which rows were removed, or null if there are none. Failures were already logged. */
function summaryOf(removed: Removed | null): Removed | null {
  const some = Object.entries(removed ?? {}).filter(([, count]) => count);
  return some.length === 0 ? null : Object.fromEntries(some);
}

const nullIfEmpty = <T>(list: readonly T[]): readonly T[] | null => (list.length > 0 ? list : null);

/** Starts all background jobs. Returns a function that stops them and waits for the running ones. */
export async function startWorker(
  config: Config,
  { db, longDb, readDb, listen }: Pick<Connections, 'db' | 'longDb' | 'readDb' | 'listen'>,
  clock: () => Date,
  log: WorkerLog,
): Promise<() => Promise<void>> {
  const mailer = createMailer(config);
  const files = openFiles(config);
  const providers = await openProviders(config, db, clock);
  const changedEvents = new ChangedEvents();
  listen(pageChannel, changedEvents.add);
  const stops = jobsOf(config, { mailer, files, providers, log, changedEvents }).map((job) =>
    repeat(job, job.long ? longDb : db, clock, log),
  );
  const replica = readDb === db ? null : readDb;
  stops.push(startExports({ db: longDb, replica, files, publicUrl: config.publicUrl, clock, log }));
  const post = createPost({ allowPrivate: config.webhooksAllowPrivate });
  stops.push(startWebhooks({ db: longDb, clock, post, testMoney: config.payments.has('sandbox'), log }));
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
    mailer.close();
  };
}

/** Runs the job again and again. Waits `everyMs` after each round has ended, so that rounds never overlap, even on a slow database. */
function repeat({ name, everyMs, work }: Job, db: Database, clock: () => Date, log: WorkerLog): () => Promise<void> {
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
