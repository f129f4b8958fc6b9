import type { FastifyInstance } from 'fastify';
import { retryLater } from '../kernel/problem.ts';
import type { Database } from '../postgres/database.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { sendProblem, toProblem } from './problems.ts';

/** `/healthz` shows that the process runs. `/readyz` shows that the process can reach its database. */
export function serveHealth(app: FastifyInstance, db: Database): void {
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (request, reply) => {
    try {
      await inTransaction(db, { readOnly: true }, (tx) => tx.selectFrom('signing_key').select('kid').limit(1).execute());
      return { status: 'ready' };
    } catch (error) {
      request.log.warn({ error: toProblem(error).message }, 'not ready');
      return sendProblem(request, reply, retryLater('overloaded', 2, 'The database does not respond.'));
    }
  });
}
