import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { Problem } from '../kernel/problem.ts';

/** Prometheus metrics: those of the process, and the time of every request by operation and status. */
export function serveMetrics(app: FastifyInstance, token: string | null): void {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const seconds = new Histogram({
    name: 'tessera_request_seconds',
    help: 'Time from request to answer',
    labelNames: ['operation', 'status'] as const,
    buckets: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10],
    registers: [registry],
  });
  app.addHook('onResponse', async (request, reply) => {
    const operation = request.routeOptions.config.operation ?? 'other';
    seconds.observe({ operation, status: String(reply.statusCode) }, reply.elapsedTime / 1000);
  });
  app.get('/metrics', async (request, reply) => {
    const allowed = token === null ? isLocal(request) : request.headers.authorization === `Bearer ${token}`;
    if (!allowed) throw new Problem('not_found');
    return reply.header('content-type', registry.contentType).send(await registry.metrics());
  });
  app.addHook('onClose', async () => registry.clear());
}

/** Without a token metrics are for this machine only, and not through a proxy on it either. */
const isLocal = (request: { socket: { remoteAddress?: string | undefined }; headers: Record<string, unknown> }): boolean =>
  /^(127\.|::1$|::ffff:127\.)/.test(request.socket.remoteAddress ?? '') && request.headers['x-forwarded-for'] === undefined;
