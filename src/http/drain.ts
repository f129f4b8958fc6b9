import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { retryLater } from '../kernel/problem.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * `draining`: requests are served, but `/readyz` tells the proxy to send no more. `closing`: only requests that have begun are finished.
     */
    phase: { now: 'serving' | 'draining' | 'closing' };
  }
}

/** Prepares the server for `drain`. Must be called before routes are added. */
export function prepareDrain(app: FastifyInstance): void {
  app.decorate('phase', { now: 'serving' });
  const sockets = new Set<Socket>();
  app.server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  app.addHook('onRequest', (_request, reply, done) => {
    if (app.phase.now === 'serving') return done();
    // The client sends its next request over a new connection, which the proxy opens to another process.
    reply.header('connection', 'close');
    return done(
      app.phase.now === 'closing' ? retryLater('unavailable', 1, 'This process is stopping. Send the request again.') : undefined,
    );
  });
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (app.phase.now !== 'serving') reply.header('connection', 'close');
    done();
  });
  // Fastify closes the other idle connections. It keeps those that have never sent a request, which browsers open in advance.
  app.addHook('preClose', (done) => {
    app.phase.now = 'closing';
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    done();
  });
}

export interface DrainOptions {
  /** How long requests are still accepted, so that the proxy can notice that the process is not ready. */
  delayMs: number;
  /** When this time is over, the connections of unfinished requests are closed. */
  limitMs: number;
}

/** Stops the server. Requests that have begun are finished. */
export async function drain(app: FastifyInstance, { delayMs, limitMs }: DrainOptions): Promise<void> {
  app.phase.now = 'draining';
  await sleep(delayMs, undefined, { ref: false });
  const timer = setTimeout(() => app.server.closeAllConnections(), limitMs);
  await app.close();
  clearTimeout(timer);
}
