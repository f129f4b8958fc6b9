import { setMaxListeners } from 'node:events';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { Problem, retryLater } from '../kernel/problem.ts';

const pollMs = 500;
/** The interval between heartbeats. Without heartbeats, proxies would close idle connections. */
const heartbeatMs = 15_000;
/** The maximum duration of a stream. When a stream ends, the client reconnects by itself and sends its token again. */
const maxDurationMs = 15 * 60_000;
const maxStreams = 100;
/** Each browser tab needs one stream, so a caller can open five tabs. */
const maxStreamsPerCaller = 5;

type ReadState = () => Promise<unknown>;

const refused = Symbol('refused');

/** The stream ends when the caller loses access. When the client reconnects, it gets the problem as an ordinary response. */
function endIfRefused(error: unknown): typeof refused {
  if (error instanceof Problem) return refused;
  throw error;
}

/** Sends every change of a state as server-sent events. The number of streams is limited per caller and in total, and each ends after 15 minutes. */
export function createLive(
  app: FastifyInstance,
  until: string,
): (reply: FastifyReply, caller: string, readState: ReadState) => Promise<FastifyReply> {
  const closing = new AbortController();
  setMaxListeners(maxStreams, closing.signal);
  app.addHook('preClose', async () => closing.abort());
  const streams = new Map<string, number>();
  let total = 0;
  function count(caller: string, change: 1 | -1): void {
    total += change;
    const left = (streams.get(caller) ?? 0) + change;
    if (left > 0) streams.set(caller, left);
    else streams.delete(caller);
  }
  return async (reply, caller, readState) => {
    if ((streams.get(caller) ?? 0) >= maxStreamsPerCaller) {
      throw retryLater('rate_limited', 5, `You have ${maxStreamsPerCaller} open streams. Close one first.`);
    }
    if (total >= maxStreams) throw retryLater('overloaded', 5, 'Too many streams are open. Poll the GET operation instead.');
    count(caller, 1);
    try {
      // The state is read before anything is sent, so that a problem is returned as an ordinary response.
      const first = await readState();
      if (reply.request.method === 'HEAD') return reply.type('text/event-stream').send();
      reply.headers({ 'content-type': 'text/event-stream', 'cache-control': 'private, no-store', 'x-accel-buffering': 'no' });
      const stream = Readable.from(changes(first, readState, until, closing.signal));
      count(caller, 1);
      stream.once('close', () => count(caller, -1));
      return reply.send(stream);
    } finally {
      count(caller, -1);
    }
  };
}

async function* changes(first: unknown, readState: ReadState, until: string, closing: AbortSignal): AsyncGenerator<string> {
  let state = first;
  let lastSent = '';
  let silentMs = 0;
  for (let elapsedMs = 0; elapsedMs < maxDurationMs; elapsedMs += pollMs) {
    const text = JSON.stringify(state);
    if (text !== lastSent) yield `data: ${text}\n\n`;
    else if (silentMs >= heartbeatMs) yield ': still here\n\n';
    silentMs = text === lastSent && silentMs < heartbeatMs ? silentMs + pollMs : 0;
    lastSent = text;
    if ((state as Record<string, unknown>)[until] !== null || closing.aborted) return;
    await sleep(pollMs, undefined, { signal: closing }).catch(() => undefined);
    const next = await readState().catch(endIfRefused);
    if (next === refused) return;
    state = next;
  }
}
