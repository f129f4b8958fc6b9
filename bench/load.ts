import { connect } from 'node:net';
import type { Throughput } from './measure.ts';
import { type ResponseReader, readResponses } from './response-reader.ts';

interface LoadOptions {
  port: number;
  /** Returns the next request as text, or null if there are no more requests. */
  nextRequest(): string | null;
  connections?: number;
  ms: number;
  newReader?: () => ResponseReader;
}

export interface Load extends Throughput {
  statuses: Record<string, number>;
}

const timeoutMs = 30_000;

/**
 * Sends requests on keep-alive connections for `ms` milliseconds. Each connection sends one request at a time. Only 2xx responses count for
 * the throughput. It uses raw sockets, because the client runs on the machine of the service and must need little CPU time.
 */
export async function load({ port, nextRequest, connections = 64, ms, newReader = readResponses }: LoadOptions): Promise<Load> {
  const latencies: number[] = [];
  const statuses: Record<string, number> = {};
  const began = performance.now();

  const client = () =>
    new Promise<unknown>((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      const read = newReader();
      let sentAt = 0;
      const sendNext = () => {
        const request = performance.now() < began + ms ? nextRequest() : null;
        sentAt = performance.now();
        if (request === null) socket.end();
        else socket.write(request);
      };
      socket.setTimeout(timeoutMs, () => socket.destroy(new Error(`No response within ${timeoutMs / 1_000} s`)));
      socket.on('connect', sendNext).on('error', reject).on('close', resolve);
      socket.on('data', (chunk: Buffer) => {
        const response = read(chunk);
        if (!response) return;
        statuses[response.status] = (statuses[response.status] ?? 0) + 1;
        latencies.push(performance.now() - sentAt);
        sendNext();
      });
    });

  await Promise.all(Array.from({ length: connections }, client));
  const successes = Object.entries(statuses).reduce((sum, [status, count]) => sum + (status.startsWith('2') ? count : 0), 0);
  const perSecond = successes / ((performance.now() - began) / 1_000);
  return { perSecond, p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99), statuses };
}

/** Returns a percentile of the values, or 0 for an empty list. */
export const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0;
