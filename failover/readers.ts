import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { buyerHeaders } from '../bench/requests.ts';

const pauseMs = 50;

/** Visitors who read pages through a proxy, one after the other. They never retry, so every error is counted. */
export class Readers {
  reads = 0;
  /** Responses other than 200, and lost connections, by kind. */
  readonly errors = new Map<string, number>();
  readonly #agent: Agent;
  readonly #port: number;
  readonly #paths: readonly string[];
  readonly #running: Promise<void>[];
  #stopped = false;

  constructor(port: number, paths: readonly string[], count: number) {
    this.#port = port;
    this.#paths = paths;
    this.#agent = new Agent({ keepAlive: true, maxSockets: count });
    this.#running = Array.from({ length: count }, () => this.#read());
  }

  async #read(): Promise<void> {
    while (!this.#stopped) {
      const path = this.#paths[this.reads++ % this.#paths.length] ?? '/';
      const kind = await this.#kindOf(path);
      if (kind !== '200') this.errors.set(kind, (this.errors.get(kind) ?? 0) + 1);
      await sleep(pauseMs);
    }
  }

  #kindOf(path: string): Promise<string> {
    return new Promise((resolve) => {
      const headers = buyerHeaders(this.reads, 'unused');
      delete headers['idempotency-key'];
      const sent = get({ host: '127.0.0.1', port: this.#port, path, agent: this.#agent, headers }, (response) => {
        response
          .on('end', () => resolve(String(response.statusCode)))
          .on('error', () => resolve('cut'))
          .resume();
      });
      sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'));
    });
  }

  async end(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#running);
    this.#agent.destroy();
  }
}
