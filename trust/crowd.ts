import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from '../bench/load.ts';
import { readResponses } from '../bench/response-reader.ts';

const patienceMs = 2_000;

interface Crowd {
  port: number;
  /** The next request, as text. */
  nextOrder(): string;
  clients: number;
  ms: number;
}

export interface CrowdResult {
  perSecond: number;
  served: number;
  refused: number;
  withoutRetryAfter: number;
  timedOut: number;
  /** Milliseconds until a refusal came. */
  medianRefusal: number;
}

interface Response {
  status: number;
  retryAfter: number;
}

/** The response, or null if none came in time. Then the caller closes the connection, as a browser would. */
function ask(socket: Socket, text: string): Promise<Response | null> {
  return new Promise((resolve) => {
    const read = readResponses();
    const done = (response: Response | null) => {
      clearTimeout(timer);
      socket.removeAllListeners('data').removeAllListeners('close');
      resolve(response);
    };
    const timer = setTimeout(() => done(null), patienceMs);
    socket.on('close', () => done(null));
    socket.on('data', (chunk: Buffer) => {
      const response = read(chunk);
      if (response) done({ status: response.status, retryAfter: Number(/retry-after: (\d+)/i.exec(response.head)?.[1] ?? 0) });
    });
    socket.write(text);
  });
}

function open(port: number): Socket {
  // A reset connection also closes, which `ask` notices.
  return connect({ port, host: '127.0.0.1', noDelay: true }).on('error', () => undefined);
}

/** Clients that order again and again. A refused client comes back after Retry-After, or a little later. */
export async function sendCrowd({ port, nextOrder, clients, ms }: Crowd): Promise<CrowdResult> {
  const end = performance.now() + ms;
  const tally = { served: 0, refused: 0, withoutRetryAfter: 0, timedOut: 0 };
  const refusals: number[] = [];

  async function client(): Promise<void> {
    let socket = open(port);
    while (performance.now() < end) {
      if (socket.destroyed) socket = open(port);
      const began = performance.now();
      const response = await ask(socket, nextOrder());
      if (response?.status === 201) {
        tally.served++;
      } else if (response?.status === 503) {
        tally.refused++;
        refusals.push(performance.now() - began);
        if (response.retryAfter === 0) tally.withoutRetryAfter++;
        await sleep(response.retryAfter * 1_000 * (1 + Math.random()));
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
