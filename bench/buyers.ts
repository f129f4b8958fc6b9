import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserResponse, Browsers } from './browser.ts';
import type { Sale } from './shop.ts';

/** An order as a buyer knows it from the responses of the service. */
export interface KnownOrder {
  quantity: number;
  status: 'held' | 'approved' | 'cancelled';
}

export interface Tally {
  sold: number;
  held: number;
  cancelled: number;
  declined: number;
  refused: number;
}

interface SellOutOptions {
  browsers: Browsers;
  sale: Sale;
  quantity: number;
  /** The number of buyers at the same time. */
  buyers: number;
  cancelOneIn: number;
  declineOneIn: number;
  onProgress(tally: Tally, orders: number): void;
}

interface SoldOut {
  /** Every order that the service acknowledged, by id. */
  acknowledged: Map<number, KnownOrder>;
  tally: Tally;
  seconds: number;
}

const maxPerOrder = 4;
const oneIn = (n: number) => Math.random() * n < 1;

/**
 * Lets many buyers buy an item until it is sold out. Some buyers cancel their order. They do not let it expire, because that would take ten
 * minutes. Some cards are declined at the first attempt.
 */
export async function sellOut(options: SellOutOptions): Promise<SoldOut> {
  const { quantity, buyers, onProgress } = options;
  const acknowledged: SoldOut['acknowledged'] = new Map();
  const tally: Tally = { sold: 0, held: 0, cancelled: 0, declined: 0, refused: 0 };
  let people = 0;

  /** Buys for one buyer after the other. If few tickets are left, the next buyer orders at most that number. */
  async function takeTurns(): Promise<void> {
    let max = maxPerOrder;
    while (tally.sold < quantity) {
      const wanted = 1 + Math.floor(Math.random() * max);
      const remaining = await buy(options, ++people, wanted, { acknowledged, tally });
      max = remaining === null ? maxPerOrder : Math.max(1, Math.min(maxPerOrder, remaining));
      if (remaining === 0) await sleep(50 + Math.random() * 100);
    }
  }

  const progress = setInterval(() => onProgress(tally, acknowledged.size), 250);
  const began = performance.now();
  try {
    await Promise.all(Array.from({ length: buyers }, takeTurns));
  } finally {
    clearInterval(progress);
  }
  return { acknowledged, tally, seconds: (performance.now() - began) / 1_000 };
}

/** Places an order, and pays or cancels it. If too few tickets are left, returns how many are left. Otherwise returns null. */
async function buy(
  { browsers, sale, cancelOneIn, declineOneIn }: SellOutOptions,
  person: number,
  wanted: number,
  { acknowledged, tally }: Pick<SoldOut, 'acknowledged' | 'tally'>,
): Promise<number | null> {
  const buyer = { name: 'Ana Souza', email: `ana${person}@example.com`, document: String(100_000_000 + person) };
  const items = [{ itemId: sale.itemIds[0], quantity: wanted }];
  const placed = await browsers.post(person, '/v1/orders', { eventId: sale.eventId, items, buyer });
  const remaining = remainingAfter(placed);
  if (remaining !== null) {
    tally.refused++;
    return remaining;
  }
  expectStatus(placed, 201);
  const { id, secret } = placed.body as { id: number; secret: string };
  const order: KnownOrder = { quantity: wanted, status: 'held' };
  acknowledged.set(id, order);
  tally.held += wanted;
  const post = (action: string, body: object) => browsers.post(person, `/v1/orders/${id}/${action}?secret=${secret}`, body);
  if (oneIn(cancelOneIn)) {
    expectStatus(await post('cancel', {}), 200);
    order.status = 'cancelled';
    tally.cancelled += wanted;
  } else {
    if (oneIn(declineOneIn)) {
      expectStatus(await post('payment', { method: 'card', outcome: 'decline' }), 409);
      tally.declined++;
    }
    expectStatus(await post('payment', { method: 'card' }), 201);
    order.status = 'approved';
    tally.sold += wanted;
  }
  tally.held -= wanted;
  return null;
}

function remainingAfter({ status, body }: BrowserResponse): number | null {
  const { code, lines } = body as { code?: string; lines?: { remaining: number }[] };
  return status === 409 && code === 'sold_out' ? (lines?.[0]?.remaining ?? 0) : null;
}

function expectStatus({ status, body }: BrowserResponse, expected: number): void {
  if (status !== expected) throw new Error(`Expected ${expected}, got ${status}: ${JSON.stringify(body)}`);
}
