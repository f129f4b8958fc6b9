import { randomUUID } from 'node:crypto';
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { buyerHeaders } from './requests.ts';

interface BrowserOptions {
  port: number;
  connections: number;
  /** The browsers close one in `cutOneIn` connections on purpose, shortly after the request was sent. */
  cutOneIn: number;
  /** The time at which the browsers stop with an error, in milliseconds like `Date.now()`. */
  deadline: number;
}

export interface BrowserResponse {
  status: number;
  replayed: boolean;
  body: unknown;
}

/** The connection was closed before the response arrived. It is unknown whether the service has processed the request. */
class CutConnection extends Error {}

/** The browsers of many buyers. Every request has an Idempotency-Key. After a closed connection or 503 it is retried with the same key. */
export class Browsers {
  /** The response times of orders that got a response at the first attempt, in milliseconds. */
  readonly latencies: number[] = [];
  readonly counts = { requests: 0, cuts: 0, busy: 0, replayed: 0 };
  readonly #agent: Agent;
  readonly #options: BrowserOptions;

  constructor(options: BrowserOptions) {
    this.#agent = new Agent({ keepAlive: true, maxSockets: options.connections });
    this.#options = options;
  }

  async post(buyer: number, path: string, body: object): Promise<BrowserResponse> {
    const headers = buyerHeaders(buyer, randomUUID());
    for (let attempt = 1; ; attempt++) {
      if (Date.now() > this.#options.deadline) throw new Error('The sale did not end before the deadline');
      const response = await this.#attempt(path, headers, JSON.stringify(body), attempt);
      if (response) return response;
      await sleep(20 + Math.random() * 100 * Math.min(attempt, 10));
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  /** Sends the request once. Returns null if the request must be sent again. */
  async #attempt(path: string, headers: Record<string, string>, body: string, attempt: number): Promise<BrowserResponse | null> {
    const began = performance.now();
    try {
      const response = await this.#send(path, headers, body, attempt === 1 && Math.random() * this.#options.cutOneIn < 1);
      if (response.replayed) this.counts.replayed++;
      if (response.status === 503) {
        this.counts.busy++;
        return null;
      }
      if (attempt === 1 && path === '/v1/orders') this.latencies.push(performance.now() - began);
      return response;
    } catch (error) {
      if (!(error instanceof CutConnection)) throw error;
      this.counts.cuts++;
      return null;
    }
  }

  #send(path: string, headers: Record<string, string>, body: string, cut: boolean): Promise<BrowserResponse> {
    this.counts.requests++;
    return new Promise((resolve, reject) => {
      const target = { port: this.#options.port, host: '127.0.0.1', method: 'POST', path, agent: this.#agent, timeout: 30_000 };
      const sent = request({ ...target, headers: { ...headers, 'content-length': Buffer.byteLength(body) } });
      const fail = (cause?: Error) => reject(new CutConnection('No response', { cause }));
      sent.on('error', fail).on('timeout', () => sent.destroy());
      sent.on('response', (response) => {
        response.on('error', fail).on('close', fail);
        readBody(response, (text) => {
          const replayed = 'idempotency-replayed' in response.headers;
          // A proxy sends its own errors as HTML.
          const isJson = (response.headers['content-type'] ?? '').includes('json');
          resolve({ status: response.statusCode ?? 0, replayed, body: isJson ? JSON.parse(text) : text });
        });
      });
      sent.end(body);
      if (cut) setTimeout(() => sent.destroy(), Math.random() * 100);
    });
  }
}

function readBody(response: IncomingMessage, done: (text: string) => void): void {
  let text = '';
  response.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  response.on('end', () => done(text));
}
