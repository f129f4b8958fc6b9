import { setTimeout as sleep } from 'node:timers/promises';
import { numberChanges } from '../platform/changes/number-changes.ts';
import type { Database } from '../postgres/database.ts';
import { withSessionLock } from '../postgres/session-lock.ts';
import { type DeliverContext, deliverTo } from './deliver.ts';
import { queueDeliveries } from './queue-deliveries.ts';
import { checkSession, selectDueWebhooks } from './webhooks.sql.ts';

/** The advisory lock of the process that numbers changes and delivers them. */
const leaderLock = 7_355_776;
/**
 * The leader polls. A NOTIFY with every sale would be faster, but PostgreSQL lets only one transaction at a time commit with a NOTIFY, which
 * would slow down all sales.
 */
const pollMs = 200;
/** How often the other processes try to become the leader. */
const standbyMs = 1_000;
/** The number of webhooks that get messages at the same time. */
const maxConcurrent = 100;
/** Webhooks whose address did not respond last time get at most this many of the places, so that they never delay the others. */
const maxFailing = 50;

export interface WebhooksContext extends Omit<DeliverContext, 'signal'> {
  log: { error(facts: object, message: string): void };
}

/**
 * Numbers changes and delivers webhooks. Of several processes only one does the work: the one that holds the lock. If it dies, another one
 * takes over within a second. Returns a function that stops this; messages that are being sent are aborted and sent again later.
 */
export function startWebhooks(context: WebhooksContext): () => Promise<void> {
  const stopping = new AbortController();
  const report = (message: string) => (error: unknown) => context.log.error({ err: error }, message);
  const pause = (ms: number) => sleep(ms, undefined, { signal: stopping.signal }).catch(() => undefined);

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await withSessionLock(context.db, leaderLock, 0, (session) => lead(context, session, stopping.signal)).catch(
        report('delivering webhooks failed'),
      );
      await pause(standbyMs);
    }
  }

  const running = run();
  return async () => {
    stopping.abort();
    await running;
  };
}

/** Works until the process stops or the session with the lock is lost. */
async function lead(context: WebhooksContext, session: Database, stopping: AbortSignal): Promise<void> {
  const lost = new AbortController();
  const signal = AbortSignal.any([stopping, lost.signal]);
  const deliveries = new Deliveries({ ...context, signal }, context.log);
  try {
    while (!signal.aborted) {
      await checkSession(session);
      await tick(context, deliveries).catch((error: unknown) => context.log.error({ err: error }, 'queueing webhooks failed'));
      await sleep(pollMs, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    lost.abort();
    await deliveries.ended();
  }
}

const maxBatchesPerTick = 20;

async function tick({ db, clock }: WebhooksContext, deliveries: Deliveries): Promise<void> {
  for (let batches = 0; batches < maxBatchesPerTick && (await numberChanges(db)) > 0; batches++);
  await queueDeliveries(db, clock());
  for (const webhook of await selectDueWebhooks(db, clock())) deliveries.start(webhook);
}

/** The webhooks that get messages now. */
class Deliveries {
  readonly #running = new Map<number, { isFailing: boolean; work: Promise<void> }>();
  readonly #context: DeliverContext;
  readonly #log: WebhooksContext['log'];

  constructor(context: DeliverContext, log: WebhooksContext['log']) {
    this.#context = context;
    this.#log = log;
  }

  start({ id, failures }: { id: number; failures: number }): void {
    const isFailing = failures > 0;
    const failing = [...this.#running.values()].filter((each) => each.isFailing).length;
    if (this.#running.has(id) || this.#running.size >= maxConcurrent || (isFailing && failing >= maxFailing)) return;
    const work = deliverTo(this.#context, id)
      .catch((error: unknown) => this.#log.error({ err: error, webhook: id }, 'delivering a webhook failed'))
      .finally(() => this.#running.delete(id));
    this.#running.set(id, { isFailing, work });
  }

  async ended(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ work }) => work));
  }
}
