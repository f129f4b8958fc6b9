import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { buyerHeaders } from '../bench/requests.ts';

export interface SoakResponse {
  status: number;
  /** Whether the response has a Retry-After header. */
  retryLater: boolean;
  body: unknown;
}

interface Sent {
  method: 'GET' | 'POST';
  path: string;
  body?: object;
  token?: string;
}

const timeoutMs = 60_000;
/** A service that cannot serve a request for this long has not recovered. */
const maxRefusedMs = 120_000;

/** Sends requests to all processes in turn. Repeats a request with the same Idempotency-Key after a lost connection or 503. */
export class SoakClient {
  /**
   * `cut` are lost connections. `unavailable` are 503 responses during kills. `busy` are 503 responses with Retry-After at other times: the
   * service sheds load if other programs take the CPU.
   */
  readonly counts = { requests: 0, cut: 0, unavailable: 0, busy: 0 };
  /** Faults of the service: responses that no client should get, by kind. */
  readonly faults = new Map<string, number>();
  /** Whether a kill is under way. Only then may connections be lost. */
  killing = false;
  stopped = false;
  readonly #ports: readonly number[];
  readonly #agent = new Agent({ keepAlive: true });
  #turn = 0;

  constructor(ports: readonly number[]) {
    this.#ports = ports;
  }

  fault(kind: string): void {
    this.faults.set(kind, (this.faults.get(kind) ?? 0) + 1);
  }

  /** Returns null if the run ended before there was a response. */
  async send(sent: Sent): Promise<SoakResponse | null> {
    const headers: Record<string, string> = buyerHeaders(this.#turn, randomUUID());
    if (sent.token) headers.authorization = `Bearer ${sent.token}`;
    const began = performance.now();
    for (let attempt = 1; !(this.stopped && attempt > 20); attempt++) {
      const response = await this.#attempt(sent, headers);
      if (response && response.status !== 503) {
        if (response.status >= 500)
          this.fault(`${response.status} ${sent.method} ${sent.path.replaceAll(/\d+/g, 'N').replace(/\?.*/, '')}`);
        return response;
      }
      if (performance.now() - began > maxRefusedMs && !this.stopped) {
        this.fault(`no response other than 503 for ${maxRefusedMs / 1_000} s`);
        return null;
      }
      await sleep(50 * Math.min(attempt, 20));
    }
    return null;
  }

  /** Returns null if the connection was lost. */
  async #attempt({ method, path, body }: Sent, headers: Record<string, string>): Promise<SoakResponse | null> {
    this.counts.requests++;
    const killing = this.killing;
    const port = this.#ports[this.#turn++ % this.#ports.length];
    const payload = body === undefined ? '' : JSON.stringify(body);
    const response = await new Promise<SoakResponse | null>((resolve) => {
      const length = { 'content-length': String(Buffer.byteLength(payload)) };
      const options = {
        host: '127.0.0.1',
        port,
        method,
        path,
        agent: this.#agent,
        timeout: timeoutMs,
        headers: { ...headers, ...(payload && length) },
      };
      const sent = request(options, (incoming) => {
        const isJson = (incoming.headers['content-type'] ?? '').includes('json');
        const retryLater = incoming.headers['retry-after'] !== undefined;
        text(incoming).then(
          (content) => resolve({ status: incoming.statusCode ?? 0, retryLater, body: isJson ? (JSON.parse(content) as unknown) : content }),
          () => resolve(null),
        );
      });
      sent.on('error', () => resolve(null)).on('timeout', () => sent.destroy());
      sent.end(payload);
    });
    this.#count(response, killing || this.killing);
    return response;
  }

  #count(response: SoakResponse | null, killing: boolean): void {
    if (response === null) {
      this.counts.cut++;
      if (!killing) this.fault('connection lost without a kill');
    } else if (response.status === 503) {
      this.counts[killing ? 'unavailable' : 'busy']++;
      if (!response.retryLater) this.fault('503 without Retry-After');
    }
  }

  close(): void {
    this.#agent.destroy();
  }
}
