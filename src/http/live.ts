import { setMaxListeners } from 'node:events';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { Problem, retryLater } from '../kernel/problem.ts';

const lookMs = 500;
/** What is between us and the caller hangs up on who is silent. */
const heartbeatMs = 15_000;
/** Then the caller comes again by itself, and shows its token anew. */
const longestMs = 15 * 60_000;
const mostListeners = 100;

type Look = () => Promise<unknown>;

const refused = Symbol('refused');

/** Callers that may no longer look hear no more. They connect again, and get the reason. */
function endIfRefused(error: unknown): typeof refused {
  if (error instanceof Problem) return refused;
  throw error;
}

/** Tells who listens of every change, as server-sent events; bounded in number and time, and over when the server ends. */
export function createLive(app: FastifyInstance, until: string): (reply: FastifyReply, look: Look) => Promise<FastifyReply> {
  const closing = new AbortController();
  setMaxListeners(mostListeners, closing.signal);
  app.addHook('preClose', async () => closing.abort());
  let listeners = 0;
  return async (reply, look) => {
    if (listeners >= mostListeners) throw retryLater('overloaded', 5, 'Too many are listening; ask for the state instead');
    listeners++;
    try {
      // Looked at before anything is sent, so that a refusal is an ordinary answer.
      const first = await look();
      if (reply.request.method === 'HEAD') return reply.type('text/event-stream').send();
      reply.headers({ 'content-type': 'text/event-stream', 'cache-control': 'private, no-store', 'x-accel-buffering': 'no' });
      const stream = Readable.from(changes(first, look, until, closing.signal));
      listeners++;
      stream.once('close', () => listeners--);
      return reply.send(stream);
    } finally {
      listeners--;
    }
  };
}

async function* changes(first: unknown, look: Look, until: string, closing: AbortSignal): AsyncGenerator<string> {
  let state = first;
  let told = '';
  let silentMs = 0;
  for (let listenedMs = 0; listenedMs < longestMs; listenedMs += lookMs) {
    const text = JSON.stringify(state);
    if (text !== told) yield `data: ${text}\n\n`;
    else if (silentMs >= heartbeatMs) yield ': still here\n\n';
    silentMs = text === told && silentMs < heartbeatMs ? silentMs + lookMs : 0;
    told = text;
    if ((state as Record<string, unknown>)[until] !== null || closing.aborted) return;
    await sleep(lookMs, undefined, { signal: closing }).catch(() => undefined);
    const seen = await look().catch(endIfRefused);
    if (seen === refused) return;
    state = seen;
  }
}
