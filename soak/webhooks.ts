import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import type { MeasuredService } from '../bench/service.ts';
import type { Shop } from '../bench/shop.ts';
import { changeTypes } from '../src/kernel/change-types.ts';
import type { Changes, WebhookWithSecret } from '../src/webhooks/contract.ts';

/** A change of the feed. Messages about the same subject must arrive in the order of the feed. */
interface FeedChange {
  id: string;
  subject: string;
}

/** What the webhooks have done. */
export interface DeliveryResult {
  changes: number;
  /** Messages that were received, with the repeated ones. */
  messages: number;
  faults: string[];
}

/** The receiver refuses the first attempt of every message of this number, so that messages are sent again. */
const refusedEvery = 100;
const settleMs = 300_000;
const producer = '/producers/1';

/**
 * Compares what was accepted with the feed. `accepted` has the ids of the messages in the order in which they were accepted for the first
 * time.
 */
export function findDeliveryFaults(feed: readonly FeedChange[], accepted: ReadonlySet<string>): string[] {
  const turns = new Map([...accepted].map((id, turn) => [id, turn]));
  const latest = new Map<string, number>();
  return feed.flatMap(({ id, subject }) => {
    const turn = turns.get(id);
    if (turn === undefined) return [`${id} about ${subject} was not delivered`];
    const previous = latest.get(subject) ?? -1;
    latest.set(subject, Math.max(turn, previous));
    return turn < previous ? [`${id} about ${subject} was delivered before an earlier change`] : [];
  });
}

/** Receives the webhooks of the first producer and compares them with the feed of changes. */
export class WebhookCheck {
  messages = 0;
  readonly #faults = new Set<string>();
  readonly #accepted = new Set<string>();
  readonly #refused = new Set<string>();
  readonly #server = createServer();
  readonly #service: MeasuredService;
  readonly #shop: Shop;
  #webhookId = 0;
  #since = '';

  constructor(service: MeasuredService, shop: Shop) {
    this.#service = service;
    this.#shop = shop;
  }

  /** Listens on loopback and creates a webhook for all types. */
  async start(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
    const { id: webhookId, secret } = await this.#shop.call<WebhookWithSecret>('POST', `${producer}/webhooks`, { url, types: changeTypes });
    this.#webhookId = webhookId;
    const webhook = new Webhook(secret);
    this.#server.on('request', (request, response) => {
      const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = request.headers;
      const headers = { 'webhook-id': String(id), 'webhook-timestamp': String(timestamp), 'webhook-signature': String(signature) };
      text(request).then(
        (body) => response.writeHead(this.#receive(webhook, body, headers)).end(),
        // The sender was killed.
        () => response.destroy(),
      );
    });
    // Changes that were made before the webhook are in the feed, but are not delivered.
    await this.#readFeed();
  }

  /** Returns the status of the response. */
  #receive(webhook: Webhook, body: string, headers: { 'webhook-id': string } & Record<string, string>): number {
    this.messages++;
    const id = headers['webhook-id'];
    try {
      webhook.verify(body, headers);
    } catch (error) {
      this.#faults.add(`${id} has an invalid signature: ${String(error)}`);
      return 400;
    }
    if (this.messages % refusedEvery === 0 && !this.#refused.has(id)) {
      this.#refused.add(id);
      return 500;
    }
    this.#accepted.add(id);
    return 200;
  }

  /** Waits until nothing is left to deliver, and compares. */
  async finish(): Promise<DeliveryResult> {
    try {
      if (!(await this.#isSettled())) this.#faults.add(`changes are not delivered ${settleMs / 1_000} s after the load`);
      const feed = await this.#readFeed();
      return { changes: feed.length, messages: this.messages, faults: [...this.#faults, ...findDeliveryFaults(feed, this.#accepted)] };
    } finally {
      this.#server.close();
      this.#server.closeAllConnections();
    }
  }

  async #isSettled(): Promise<boolean> {
    for (const end = performance.now() + settleMs; performance.now() < end; await sleep(500)) {
      const [left] = await this.#service.query<{ n: string }>(
        `select (select count(*) from change) + (select count(*) from webhook_delivery where status = 'pending')
              + (select count(*) from feed_entry where producer_id = 1 and position > (select position from webhook where id = $1)) as n`,
        [this.#webhookId],
      );
      if (left?.n === '0') return true;
    }
    return false;
  }

  /** Returns the changes since the last call. */
  async #readFeed(): Promise<FeedChange[]> {
    const all: FeedChange[] = [];
    for (let more = true; more; ) {
      const since = this.#since && `&since=${this.#since}`;
      const page = await this.#shop.call<Changes>('GET', `${producer}/changes?pageSize=100${since}`);
      all.push(...page.data.map(({ id, type, data }) => ({ id, subject: data ? `${type.split('.')[0]} ${String(data.id)}` : id })));
      this.#since = page.next;
      more = page.more;
    }
    return all;
  }
}
