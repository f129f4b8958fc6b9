import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from '../bench/load.ts';
import { readResponses } from '../bench/response-reader.ts';

const timeoutMs = 2_000;

interface Crowd {
  port: number;
  /** Returns the next request as text. */
  nextOrder(): string;
  clients: number;
  /** How long the clients send before orders are counted. */
  rampMs: number;
  ms: number;
}

export interface CrowdResult {
  perSecond: number;
  served: number;
  refused: number;
  withoutRetryAfter: number;
  timedOut: number;
  /** The median time until a client got a refusal, in milliseconds. */
  medianRefusal: number;
}

interface Response {
  status: number;
  retryAfter: number;
}

/** Sends a request and returns the response. Returns null after the timeout. The caller then closes the connection, like a browser. */
function sendRequest(socket: Socket, text: string): Promise<Response | null> {
  return new Promise((resolve) => {
    const read = readResponses();
    const done = (response: Response | null) => {
      clearTimeout(timer);
      socket.removeAllListeners('data').removeAllListeners('close');
      resolve(response);
    };
    const timer = setTimeout(() => done(null), timeoutMs);
    socket.on('close', () => done(null));
    socket.on('data', (chunk: Buffer) => {
      const response = read(chunk);
      if (response) done({ status: response.status, retryAfter: Number(/retry-after: (\d+)/i.exec(response.head)?.[1] ?? 0) });
    });
    socket.write(text);
  });
}

function open(port: number): Socket {
  // Errors are ignored here, because a failed connection also emits `close`, which `sendRequest` handles.
  return connect({ port, host: '127.0.0.1', noDelay: true }).on('error', () => undefined);
}

/** Lets clients order again and again until `ms` have passed. A refused client retries after one to two times Retry-After. */
export async function sendCrowd({ port, nextOrder, clients, rampMs, ms }: Crowd): Promise<CrowdResult> {
  const began = performance.now();
  const end = began + rampMs + ms;
  const tally = { served: 0, refused: 0, withoutRetryAfter: 0, timedOut: 0 };
  const refusals: number[] = [];

  async function client(): Promise<void> {
    let socket = open(port);
    while (performance.now() < end) {
      if (socket.destroyed) socket = open(port);
      const sentAt = performance.now();
      const response = await sendRequest(socket, nextOrder());
      if (response?.status === 201) {
        if (performance.now() > began + rampMs) tally.served++;
      } else if (response?.status === 503) {
        tally.refused++;
        refusals.push(performance.now() - sentAt);
        if (response.retryAfter === 0) tally.withoutRetryAfter++;
        await sleep(Math.min(response.retryAfter * 1_000 * (1 + Math.random()), Math.max(0, end - performance.now())));
      } else {
        tally.timedOut++;
        socket.destroy();
      }
    }
    socket.destroy();
  }

  await Promise.all(Array.from({ length: clients }, client));
  return { ...tally, perSecond: tally.served / (ms / 1_000), medianRefusal: percentile(refusals, 0.5) };
}
