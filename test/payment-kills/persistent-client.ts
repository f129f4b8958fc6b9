import { setTimeout as sleep } from 'node:timers/promises';
import type { Dice } from '../random.ts';

interface Sent {
  method?: 'GET' | 'POST';
  body?: object;
  token?: string;
  /** The chance that the caller does not repeat the request after a lost connection. */
  giveUp?: number;
}

interface Received<T> {
  status: number;
  body: T;
}

/** Sends requests like a good client: it repeats a request with the same idempotency key until it gets a response. */
export class PersistentClient {
  /** The address of the service. It changes when the service is started again. */
  origin = '';
  readonly counts = { requests: 0, retries: 0, replayed: 0, givenUp: 0 };

  /** Returns null if the caller gave up. */
  async send<T>(dice: Dice, path: string, { method = 'POST', body, token, giveUp = 0 }: Sent = {}): Promise<Received<T> | null> {
    const headers = {
      ...(method === 'POST' && { 'idempotency-key': `key-${++this.counts.requests}` }),
      ...(body && { 'content-type': 'application/json' }),
      ...(token && { authorization: `Bearer ${token}` }),
    };
    for (;;) {
      const received = await this.#sendOnce<T>(path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
      if (received && received.status !== 503) return received;
      if (dice.chance(giveUp)) {
        this.counts.givenUp++;
        return null;
      }
      this.counts.retries++;
      await sleep(100 + dice.below(200));
    }
  }

  /** Returns null if the connection was lost or the service did not respond in time. */
  async #sendOnce<T>(path: string, request: RequestInit): Promise<Received<T> | null> {
    try {
      const response = await fetch(`${this.origin}/v1${path}`, { ...request, signal: AbortSignal.timeout(30_000) });
      const body = (await response.json()) as T;
      if (response.headers.has('idempotency-replayed')) this.counts.replayed++;
      return { status: response.status, body };
    } catch (error) {
      // Any other error is a fault of the test.
      if (error instanceof TypeError || error instanceof SyntaxError || (error as Error).name === 'TimeoutError') return null;
      throw error;
    }
  }
}
