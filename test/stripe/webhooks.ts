import Stripe from 'stripe';
import type { State } from './state.ts';
import type { StoredEvent } from './store.ts';

export interface Endpoint {
  url: string;
  secret: string;
  /** `held` keeps the events until `deliver` is called. This is the default. */
  delivery?: 'at_once' | 'held';
  /** By default all types. */
  enabledEvents?: string[];
  /** A delivery is repeated at once until the endpoint returns 2xx, at most this many times. The default is 3. */
  maxAttempts?: number;
}

export interface DeliverOptions {
  /** Delivers these events, even if they were delivered before. The default is all held events. */
  ids?: string[];
  /** Delivers only events of these types. */
  types?: string[];
  order?: 'created' | 'reversed' | 'shuffled';
  /** Sends each event this many times. */
  copies?: number;
  /** Sends all deliveries at the same time. */
  concurrent?: boolean;
  /** Signs with this secret instead, as a forger would. */
  secret?: string;
  /** Signs with a timestamp that is this many seconds old. */
  ageSeconds?: number;
  /** Replaces the field `account` of the events. */
  account?: string;
  maxAttempts?: number;
}

export interface Delivery {
  event: string;
  type: string;
  attempt: number;
  /** The status that the endpoint returned, or null if there was no response. */
  status: number | null;
}

/** Signs events and sends them to the endpoint. */
export class Webhooks {
  readonly log: Delivery[] = [];
  readonly #state: State;
  #endpoint: Endpoint | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(state: State) {
    this.#state = state;
    state.onEvent = (event) => this.#accept(event);
  }

  setEndpoint(endpoint: Endpoint): void {
    this.#endpoint = endpoint;
  }

  held(): StoredEvent[] {
    const events = this.#state.store.all('event').filter(({ facts }) => facts.held);
    return events.map(({ object }) => object).filter(({ type }) => this.#isEnabled(type));
  }

  async deliver(options: DeliverOptions = {}): Promise<Delivery[]> {
    const events = this.#ordered(this.#selected(options), options.order);
    const copies = events.flatMap((event) => Array.from({ length: options.copies ?? 1 }, () => event));
    if (options.concurrent) return (await Promise.all(copies.map((event) => this.#send(event, options)))).flat();
    const deliveries: Delivery[] = [];
    for (const event of copies) deliveries.push(...(await this.#send(event, options)));
    return deliveries;
  }

  /** Resolves when no delivery is under way. */
  async idle(): Promise<void> {
    for (let queue: unknown; queue !== this.#queue; await this.#queue) queue = this.#queue;
  }

  #accept(event: StoredEvent): void {
    if (this.#endpoint?.delivery !== 'at_once' || !this.#isEnabled(event.type)) return;
    this.#queue = this.#queue.then(() => this.#send(event, {}));
  }

  #isEnabled(type: string): boolean {
    return this.#endpoint?.enabledEvents?.includes(type) ?? true;
  }

  #selected({ ids, types }: DeliverOptions): StoredEvent[] {
    const events = ids ? ids.map((id) => this.#find(id)) : this.held();
    return events.filter(({ type }) => types?.includes(type) ?? true);
  }

  #find(id: string): StoredEvent {
    const event = this.#state.store.find('event', id)?.object;
    if (!event) throw new Error(`There is no event ${id}.`);
    return event;
  }

  #ordered(events: StoredEvent[], order: DeliverOptions['order'] = 'created'): StoredEvent[] {
    if (order === 'shuffled') return this.#state.shuffled(events);
    return order === 'reversed' ? events.toReversed() : events;
  }

  async #send(event: StoredEvent, options: DeliverOptions): Promise<Delivery[]> {
    const endpoint = this.#endpoint;
    if (!endpoint) throw new Error('The stand-in has no webhook endpoint. Call setEndpoint first.');
    const deliveries: Delivery[] = [];
    const maxAttempts = options.maxAttempts ?? endpoint.maxAttempts ?? 3;
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const status = await post(endpoint.url, ...this.#signed(event, endpoint.secret, options));
      const delivery = { event: event.id, type: event.type, attempt, status };
      deliveries.push(delivery);
      this.log.push(delivery);
      if (!isSuccess(status)) continue;
      if (options.secret === undefined && options.account === undefined) this.#markDelivered(event.id);
      break;
    }
    return deliveries;
  }

  #signed(event: StoredEvent, secret: string, options: DeliverOptions): [payload: string, signature: string] {
    const payload = JSON.stringify(options.account ? { ...event, account: options.account } : event, null, 2);
    const signature = Stripe.webhooks.generateTestHeaderString({
      payload,
      secret: options.secret ?? secret,
      timestamp: this.#state.now() - (options.ageSeconds ?? 0),
    });
    return [payload, signature];
  }

  #markDelivered(id: string): void {
    this.#state.store.change('event', id, { pending_webhooks: 0 }, { held: false });
    this.#state.store.flush();
  }
}

const isSuccess = (status: number | null): boolean => status !== null && status >= 200 && status < 300;

/** Stripe does not follow redirects, so a redirect is a failed delivery. */
async function post(url: string, payload: string, signature: string): Promise<number | null> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'stripe-signature': signature,
        'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
      },
      body: payload,
    });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return null;
  }
}
