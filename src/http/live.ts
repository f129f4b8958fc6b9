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
const mostStreams = 100;
/** A browser tab has one; a user with more has forgotten some. */
const mostStreamsOfCaller = 5;

type Look = () => Promise<unknown>;

const refused = Symbol('refused');

/** Callers that may no longer look hear no more. They connect again, and get the reason. */
function endIfRefused(error: unknown): typeof refused {
  if (error instanceof Problem) return refused;
  throw error;
}

/** Sends every change as server-sent events. Streams are bounded in number, by caller and in all, and in time; they end with the server. */
export function createLive(
  app: FastifyInstance,
  until: string,
): (reply: FastifyReply, caller: string, look: Look) => Promise<FastifyReply> {
  const closing = new AbortController();
  setMaxListeners(mostStreams, closing.signal);
  app.addHook('preClose', async () => closing.abort());
  const streams = new Map<string, number>();
  let inAll = 0;
  function count(caller: string, change: 1 | -1): void {
    inAll += change;
    const left = (streams.get(caller) ?? 0) + change;
    if (left > 0) streams.set(caller, left);
    else streams.delete(caller);
  }
  return async (reply, caller, look) => {
    if ((streams.get(caller) ?? 0) >= mostStreamsOfCaller) {
      throw retryLater('rate_limited', 5, `You have ${mostStreamsOfCaller} of these open; close one first`);
    }
    if (inAll >= mostStreams) throw retryLater('overloaded', 5, 'Too many are listening; ask for the state instead');
    count(caller, 1);
    try {
      // Looked at before anything is sent, so that a refusal is an ordinary answer.
      const first = await look();
      if (reply.request.method === 'HEAD') return reply.type('text/event-stream').send();
      reply.headers({ 'content-type': 'text/event-stream', 'cache-control': 'private, no-store', 'x-accel-buffering': 'no' });
      const stream = Readable.from(changes(first, look, until, closing.signal));
      count(caller, 1);
      stream.once('close', () => count(caller, -1));
      return reply.send(stream);
    } finally {
      count(caller, -1);
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
