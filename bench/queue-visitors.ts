import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PlacedOrder } from '../src/orders/order-schemas.ts';
import type { Queue, QueueNumber, QueuePlace } from '../src/waiting-room/contract.ts';
import { Dice, testSeed } from '../test/random.ts';
import { buyerHeaders, requestHeaders } from './requests.ts';
import type { Sale } from './shop.ts';

interface Response<T> {
  status: number;
  body: T;
}

/** Keeps the random numbers of pauses apart from those of retries, so that retries do not change the pauses. */
const pauseIndex = (visitor: number) => 2 * visitor;
const retryIndex = (visitor: number) => 2 * visitor + 1;

/** Sends requests of visitors to the processes, in turn. */
export class Visitors {
  requests = 0;
  busy = 0;
  readonly #agents: { port: number; agent: Agent }[];
  readonly #next: () => number;
  #isClosed = false;

  constructor(ports: readonly number[], connections = 64) {
    this.#agents = ports.map((port) => ({ port, agent: new Agent({ keepAlive: true, maxSockets: connections }) }));
    let turn = 0;
    this.#next = () => turn++ % this.#agents.length;
  }

  /** Ends all requests. Those of visitors who still wait get no response, and no error either. */
  close(): void {
    this.#isClosed = true;
    for (const { agent } of this.#agents) agent.destroy();
  }

  /** Retries while the service is busy, like the page of the waiting room. */
  async send<T>(visitor: number, method: 'GET' | 'POST', path: string, body?: object): Promise<Response<T>> {
    const dice = new Dice(testSeed, retryIndex(visitor));
    for (let attempt = 1; ; attempt++) {
      const response = await this.#once<T>(visitor, method, path, body);
      if (response.status !== 503 || attempt === 20) return response;
      this.busy++;
      await sleep(200 * attempt + dice.below(500));
    }
  }

  #once<T>(visitor: number, method: string, path: string, body?: object): Promise<Response<T>> {
    this.requests++;
    const target = this.#agents[this.#next()];
    const text = body && JSON.stringify(body);
    const { 'idempotency-key': _, 'content-type': type = '', ...writing } = buyerHeaders(visitor, '');
    const headers = method === 'GET' ? requestHeaders : { ...writing, ...(text && { 'content-type': type }) };
    return new Promise((resolve, reject) => {
      const sent = request({ port: target?.port, host: '127.0.0.1', agent: target?.agent, method, path: `/v1${path}`, headers });
      sent.on('error', (error) => this.#isClosed || reject(error));
      sent.on('response', (response) => {
        let received = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          received += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(received || 'null') as T }));
      });
      sent.end(text);
    });
  }
}

/** Orders one ticket and pays for it. Returns the code of the problem, or null. */
export async function buyTicket(
  visitors: Visitors,
  visitor: number,
  { eventId, itemIds }: Sale,
  admission?: string,
): Promise<string | null> {
  const buyer = { name: 'Ana Souza', email: `visitor${visitor}@test.test` };
  const order = { eventId, items: [{ itemId: itemIds[0], quantity: 1 }], buyer, ...(admission && { admission }) };
  const placed = await visitors.send<PlacedOrder & { code?: string; reason?: string }>(visitor, 'POST', '/orders', order);
  if (placed.status !== 201) return placed.body.reason ?? placed.body.code ?? String(placed.status);
  const { id, secret } = placed.body;
  const paid = await visitors.send<{ code?: string }>(visitor, 'POST', `/orders/${id}/payment?secret=${secret}`, { method: 'card' });
  return paid.status === 201 ? null : (paid.body.code ?? String(paid.status));
}

/** Turns the waiting room of an event on. */
export async function setRoom(origin: string, token: string, eventId: number, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const response = await fetch(`${origin}/v1/event/${eventId}/waiting-room`, { method: 'PUT', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(await response.text());
}

/** Computes when the turn of a place comes, as the page of the waiting room does. */
export function turnOf({ watermark: { place: from, at, perMinute } }: Pick<Queue, 'watermark'>, place: number): number {
  return Date.parse(at) + ((place - from) * 60_000) / perMinute;
}

interface CrowdOptions {
  visitors: Visitors;
  sale: Sale;
  count: number;
  /** How often each visitor asks for the state of the queue. */
  pollMs: number;
  /** Called when a visitor is admitted. */
  onAdmitted(visitor: number, admission: string): void;
}

/** A crowd in the waiting room of one event. */
export class Crowd {
  readonly numbers: QueueNumber[] = [];
  readonly places = new Map<number, number>();
  /** When each visitor was admitted, in milliseconds like `performance.now()`. */
  readonly admittedAt: number[] = [];
  polls = 0;
  readonly #inside = new Set<number>();
  readonly #options: CrowdOptions;
  #queue: Queue | null = null;
  #stopped = false;

  constructor(options: CrowdOptions) {
    this.#options = options;
  }

  stop(): void {
    this.#stopped = true;
  }

  /** All visitors take a number within this time. Each begins to poll as soon as it has its number. */
  async join(withinMs: number): Promise<void> {
    const { visitors, sale, count } = this.#options;
    await inWaves(count, withinMs, async (visitor) => {
      const { status, body } = await visitors.send<QueueNumber>(visitor, 'POST', `/queue/${sale.eventId}/numbers`);
      if (status !== 201) throw new Error(`No number: ${status} ${JSON.stringify(body)}`);
      this.numbers[visitor] = body;
      void this.#poll(visitor);
    });
  }

  /** All visitors ask for their place within this time. Then each waits for the turn. */
  async learnPlaces(withinMs: number): Promise<void> {
    await inWaves(this.#options.count, withinMs, async (visitor) => {
      const { number, place } = await this.#claim(visitor);
      if (place === null) throw new Error(`Number ${number} has no place`);
      this.places.set(number, place);
      void this.#waitForTurn(visitor, place);
    });
  }

  async #claim(visitor: number): Promise<QueuePlace> {
    const { visitors, sale } = this.#options;
    const ticket = this.numbers[visitor]?.ticket;
    const { status, body } = await visitors.send<QueuePlace>(visitor, 'POST', `/queue/${sale.eventId}/place`, { ticket });
    if (status !== 200) throw new Error(`No place: ${status} ${JSON.stringify(body)}`);
    return body;
  }

  async #poll(visitor: number): Promise<void> {
    const { visitors, sale, pollMs } = this.#options;
    const dice = new Dice(testSeed, pauseIndex(visitor));
    await sleep(dice.next() * pollMs);
    while (!this.#stopped && !this.#inside.has(visitor)) {
      const { status, body } = await visitors.send<Queue>(visitor, 'GET', `/queue/${sale.eventId}`);
      if (status === 200) this.#queue = body;
      this.polls++;
      await sleep(pollMs * (0.8 + dice.next() * 0.4));
    }
  }

  /** Computes the turn from the public file, as the page does. Then it takes the admission. */
  async #waitForTurn(visitor: number, place: number): Promise<void> {
    while (!this.#stopped) {
      const wait = this.#queue ? turnOf(this.#queue, place) - Date.now() : this.#options.pollMs;
      if (wait > 0) {
        await sleep(Math.min(wait + 5, this.#options.pollMs));
        continue;
      }
      const { state, admission } = await this.#claim(visitor);
      if (state !== 'admitted' || admission === null) {
        await sleep(50);
        continue;
      }
      this.admittedAt.push(performance.now());
      this.#inside.add(visitor);
      return this.#options.onAdmitted(visitor, admission);
    }
  }
}

/** Starts the work of all visitors, evenly spread over the time, and waits for all of it. */
async function inWaves(count: number, withinMs: number, work: (visitor: number) => Promise<void>): Promise<void> {
  const began = performance.now();
  const running: Promise<void>[] = [];
  for (let visitor = 0; visitor < count; visitor++) {
    const due = began + (withinMs * visitor) / count;
    if (due > performance.now()) await sleep(due - performance.now());
    running.push(work(visitor));
  }
  await Promise.all(running);
}
