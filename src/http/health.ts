import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { retryLater } from '../kernel/problem.ts';
import { type Database, isStandby } from '../postgres/database.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { NotPrimary } from '../postgres/unavailable.ts';
import { sendProblem } from './problems.ts';

/** Less than the 5 s that the proxy waits. A database that is only busy must not make all processes unready. */
const checkTimeoutMs = 4_000;
const dropMs = 5_000;
const noResponse = 'The database does not respond.';

/**
 * `/healthz` shows that the process runs. `/readyz` shows that it can take orders: it is not stopping, no batch is stuck, and the connections
 * of orders lead to the primary.
 */
export function serveHealth(app: FastifyInstance, db: Database, standby = false): void {
  app.get('/healthz', async () => ({ status: 'ok' }));
  const check = singleCheck(() => requireDatabase(db, standby));
  app.get('/readyz', async (request, reply) => {
    const reason = app.phase.now !== 'serving' ? 'The process is stopping.' : await reasonNotReady();
    if (reason === null) return { status: 'ready' };
    request.log.warn({ reason }, 'not ready');
    return sendProblem(request, reply, retryLater('unavailable', 2, reason));
  });

  async function reasonNotReady(): Promise<string | null> {
    if (app.batches.hasStuckBatch()) return 'A batch of requests gets no response from the database.';
    const late = sleep(checkTimeoutMs, noResponse, { ref: false });
    const checked = check().then(
      () => null,
      (error: unknown) => (error instanceof NotPrimary ? error.message : noResponse),
    );
    return Promise.race([late, checked]);
  }
}

/** At most one check runs at a time, so that probes of a silent database do not use up the connections. */
function singleCheck(check: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  return () => {
    running ??= check().finally(() => {
      running = null;
    });
    return running;
  };
}

/** A connection that does not respond is dropped, so that the next check uses another one. */
async function requireDatabase(db: Database, standby: boolean): Promise<void> {
  const isOnStandby = await inTransaction(db, { readOnly: true, deadlineMs: dropMs }, isStandby);
  if (isOnStandby && !standby) throw new NotPrimary();
}
