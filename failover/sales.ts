import { setTimeout as sleep } from 'node:timers/promises';
import { Browsers } from '../bench/browser.ts';
import type { KnownOrder } from '../bench/buyers.ts';
import type { Sale } from '../bench/shop.ts';
import { eventually } from '../test/eventually.ts';

interface Crowd {
  buyers: number;
  /** How long a buyer waits before the next order. */
  pauseMs: number;
}
/** Long enough for every fault. It only ends a run that hangs. */
const maxMs = 30 * 60_000;

/** Buyers who order and pay one ticket after the other. They retry each request with its key until they get a response other than 503. */
export class Sales {
  /** Every order that the service acknowledged, by id. */
  readonly acknowledged = new Map<number, KnownOrder>();
  /** Responses other than 201 and 503, which are the only ones that a buyer should get. */
  readonly unexpected = new Map<string, number>();
  readonly #browsers: Browsers;
  readonly #sale: Sale;
  readonly #approvedAt: number[] = [];
  readonly #running: Promise<void>[];
  readonly #pauseMs: number;
  #people = 0;
  #stopped = false;

  constructor(port: number, sale: Sale, { buyers, pauseMs }: Crowd = { buyers: 24, pauseMs: 0 }) {
    this.#sale = sale;
    this.#pauseMs = pauseMs;
    this.#browsers = new Browsers({ port, connections: buyers, cutOneIn: Number.POSITIVE_INFINITY, deadline: Date.now() + maxMs });
    this.#running = Array.from({ length: buyers }, () => this.#takeTurns());
  }

  get sold(): number {
    return this.#approvedAt.length;
  }

  /** How many requests got 503, and how many lost their connection. */
  get retried(): { unavailable: number; cut: number } {
    const { busy, cuts } = this.#browsers.counts;
    return { unavailable: busy, cut: cuts };
  }

  async #takeTurns(): Promise<void> {
    while (!this.#stopped) {
      await this.#buy(++this.#people);
      await sleep(this.#pauseMs);
    }
  }

  async #buy(person: number): Promise<void> {
    const { eventId, itemIds } = this.#sale;
    const buyer = { name: 'Ana Souza', email: `ana${person}@example.com`, document: String(100_000_000 + person) };
    // Half of the buyers use the path with the event, which a proxy leads to one process.
    const path = person % 2 === 0 ? '/v1/orders' : `/v1/event/${eventId}/orders`;
    const event = person % 2 === 0 ? { eventId } : {};
    const placed = await this.#post(person, path, { ...event, items: [{ itemId: itemIds[0], quantity: 1 }], buyer });
    if (!placed) return;
    const { id, secret } = placed as { id: number; secret: string };
    this.acknowledged.set(id, { quantity: 1, status: 'held' });
    if (!(await this.#post(person, `${path}/${id}/payment?secret=${secret}`, { method: 'card' }))) return;
    this.acknowledged.set(id, { quantity: 1, status: 'approved' });
    this.#approvedAt.push(performance.now());
  }

  /** Returns the body of a 201. Any other response is counted. */
  async #post(person: number, path: string, body: object): Promise<unknown> {
    const response = await this.#browsers.post(person, path, body);
    if (response.status === 201) return response.body;
    const kind = `${response.status} ${(response.body as { code?: string }).code ?? ''}`;
    this.unexpected.set(kind, (this.unexpected.get(kind) ?? 0) + 1);
    return null;
  }

  /** Waits until this many more orders were paid. */
  async more(count: number): Promise<void> {
    const goal = this.sold + count;
    await eventually(`${count} more orders are paid`, () => this.sold >= goal);
  }

  /** The longest time without a sale since then, in seconds. */
  longestGapSince(began: number): number {
    const times = [began, ...this.#approvedAt.filter((at) => at > began)];
    return Math.max(...times.map((at, i) => at - (times[i - 1] ?? at))) / 1_000;
  }

  /** Lets every buyer finish. */
  async end(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#running);
    this.#browsers.close();
  }
}
