import { setTimeout as sleep } from 'node:timers/promises';
import { Dice, testSeed } from '../random.ts';
import type { RemoteStandIn } from '../stripe/remote.ts';
import type { PersistentClient } from './persistent-client.ts';

export interface Sale {
  eventId: number;
  itemId: number;
  /** The token of a crew member who may refund. */
  token: string;
}

type Method = 'card' | 'pix';

/** What the service has told the buyer of an order. */
export interface Told {
  isApproved: boolean;
  /** The number of tickets whose refund the service has accepted. */
  refundedTickets: number;
}

interface Order {
  id: number;
  secret: string;
  method: Method;
  /** Tickets that nobody has refunded. */
  left: number;
  told: Told;
}

interface OrderBody {
  id: number;
  secret: string;
  status: string;
  payments: { status: string }[];
}

export interface Habits {
  /** The share of the buyers who pay. Of the others, half leave, and half cancel the order and pay nevertheless. */
  paying: number;
  /** The share of the refunds that return all tickets of the order. The others return one ticket. */
  wholeRefunds: number;
}

/** The chance that a buyer leaves after each lost connection. */
const impatience = 0.2;

/** How long a buyer waits for a response that says what to do, and for the tickets. A buyer who waits too long leaves. */
const polls = { count: 80, waitMs: 75 };

/** Buyers who order, pay at the provider, leave, cancel, and get refunds. They behave like real clients: see `PersistentClient`. */
export class Buyers {
  readonly told = new Map<number, Told>();
  /** Responses that nobody expects. */
  readonly strange: string[] = [];
  readonly #sale: Sale;
  readonly #client: PersistentClient;
  readonly #standIn: RemoteStandIn;
  readonly #habits: Habits;
  readonly #refundable: Order[] = [];
  /** The buyers of these orders pay everything that the provider lets them pay. */
  readonly #payers: Order[] = [];
  readonly #running = new Set<Promise<void>>();
  #isOpen = true;
  #count = 0;

  constructor(sale: Sale, client: PersistentClient, standIn: RemoteStandIn, habits: Habits) {
    this.#habits = habits;
    this.#sale = sale;
    this.#client = client;
    this.#standIn = standIn;
  }

  /** Starts buyers who buy again and again until `close`. */
  start(count: number): void {
    for (let i = 0; i < count; i++) {
      this.#run(async (dice) => {
        while (this.#isOpen) {
          await this.#buy(dice, dice.pick(['card', 'pix']), impatience);
          if (dice.chance(0.3)) this.refundOne();
        }
      });
    }
  }

  /** Starts a buyer who stays until the payment has started. */
  buy(method: Method): void {
    this.#run((dice) => this.#buy(dice, method, 0));
  }

  /** Refunds some tickets of an order. Returns false if no order can be refunded yet. */
  refundOne(): boolean {
    const order = this.#refundable.shift();
    if (order) this.#run((dice) => this.#refund(dice, order));
    return order !== undefined;
  }

  /** Resolves when all buyers have got their last response. */
  async close(): Promise<void> {
    this.#isOpen = false;
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** Pays everything that buyers still can pay. In the worst case a buyer has seen every code that the provider has ever created. */
  async payAll(): Promise<void> {
    for (const order of this.#payers) await this.#pay(order);
  }

  #run(work: (dice: Dice) => Promise<void>): void {
    const running = work(new Dice(testSeed, ++this.#count)).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #buy(dice: Dice, method: Method, giveUp: number): Promise<void> {
    const order = await this.#place(dice, method);
    if (!order) return;
    const pays = dice.chance(this.#habits.paying);
    const cancels = !pays && dice.chance(0.5);
    if (pays || cancels) this.#payers.push(order);
    if (!(await this.#startPayment(dice, order, giveUp))) return;
    if (cancels) await this.#send(dice, `/orders/${order.id}/cancel?secret=${order.secret}`, 200);
    if (!pays && !cancels) return;
    if (method === 'card' && dice.chance(0.1)) await this.#pay(order, 'pm_card_chargeDeclined');
    await this.#pay(order);
    if (cancels || !(await this.#poll(dice, order, ({ status }) => status === 'approved'))) return;
    order.told.isApproved = true;
    this.#refundable.push(order);
  }

  async #place(dice: Dice, method: Method): Promise<Order | null> {
    const { eventId, itemId } = this.#sale;
    const quantity = 2 + dice.below(2);
    const buyer = { name: 'Ana Souza', email: `buyer${this.told.size}@test.test` };
    const body = await this.#send(dice, '/orders', 201, { eventId, items: [{ itemId, quantity }], buyer });
    if (!body) return null;
    const told: Told = { isApproved: false, refundedTickets: 0 };
    this.told.set(body.id, told);
    return { id: body.id, secret: body.secret, method, left: quantity, told };
  }

  /** Returns whether the buyer knows how to pay. A buyer who does not get a response leaves, or presses the button again. */
  async #startPayment(dice: Dice, order: Order, giveUp: number): Promise<boolean> {
    const path = `/orders/${order.id}/payment?secret=${order.secret}`;
    const { method } = order;
    for (let attempt = 0; attempt < 5; attempt++) {
      const response = await this.#client.send<OrderBody>(dice, path, { body: { method }, giveUp });
      if (!response) return false;
      if (response.status !== 201) {
        this.strange.push(`payment ${response.status} ${JSON.stringify(response.body)}`);
        return false;
      }
      if (response.body.payments.at(-1)?.status === 'pending') return true;
      if (await this.#poll(dice, order, ({ payments }) => payments.at(-1)?.status !== 'begun', polls.count / 4)) return true;
    }
    return false;
  }

  /** The buyer pays with everything that the provider accepts for the order, as Stripe.js or an app of a bank does. */
  async #pay({ id, method }: Order, card = 'pm_card_visa'): Promise<void> {
    for (const { id: intent, isPayable } of await this.#standIn.intents(String(id))) {
      if (!isPayable) continue;
      const paid = method === 'card' ? this.#standIn.confirm(intent, { paymentMethod: card }) : this.#standIn.payPix(intent);
      // The service may have cancelled the payment meanwhile.
      await paid.catch(() => undefined);
    }
  }

  async #poll(dice: Dice, { id, secret }: Order, isReached: (order: OrderBody) => boolean, count = polls.count): Promise<boolean> {
    for (let i = 0; i < count; i++) {
      const response = await this.#client.send<OrderBody>(dice, `/orders/${id}?secret=${secret}`, { method: 'GET' });
      if (response && isReached(response.body)) return true;
      await sleep(polls.waitMs);
    }
    return false;
  }

  async #refund(dice: Dice, order: Order): Promise<void> {
    const { wholeRefunds } = this.#habits;
    const quantity = dice.chance(wholeRefunds) ? order.left : 1;
    const lines = [{ itemId: this.#sale.itemId, quantity }];
    if (!(await this.#send(dice, `/orders/${order.id}/refund`, 200, { lines }, this.#sale.token))) return;
    order.told.refundedTickets += quantity;
    order.left -= quantity;
    // The provider refuses to return the money of the last ticket twice. Without that refund, a control finds the double refund.
    if (order.left > (wholeRefunds > 0 ? 0 : 1)) this.#refundable.push(order);
  }

  /** Returns the response if it has the expected status. */
  async #send(dice: Dice, path: string, expected: number, body?: object, token?: string): Promise<OrderBody | null> {
    const response = await this.#client.send<OrderBody>(dice, path, { ...(body && { body }), ...(token && { token }) });
    if (response?.status === expected) return response.body;
    this.strange.push(`${path.replace(/\d+|\?.*/g, '')} ${response?.status} ${JSON.stringify(response?.body)}`);
    return null;
  }
}
