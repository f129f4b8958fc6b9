import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { auditFindings } from '../../test/audit-findings.ts';
import { useWorld } from '../../test/harness.ts';
import { shopOf, type Wanted } from '../../test/shop.ts';
import { minutesAfterNoon, noon } from '../../test/world.ts';
import type { PlacedOrder } from './order-schemas.ts';

const world = useWorld();
const shop = shopOf(world);
afterEach(() => {
  world.now = noon;
});

interface Values {
  price: number;
  feeSale: number;
  feeProducer: number;
}

type Step =
  | { do: 'place'; wanted: number[]; open: boolean }
  | { do: 'pay'; which: number }
  | { do: 'cancel'; which: number }
  | { do: 'refund'; which: number; parts: number[] | null; restock: boolean }
  | { do: 'wait'; minutes: number };

const cents = fc.integer({ min: 0, max: 99_999 });
/** Generates prices. In some of them the producer's share of the fee is higher than the price. */
const values: fc.Arbitrary<Values> = fc.record({ price: cents, feeSale: cents, feeProducer: fc.integer({ min: 0, max: 20_000 }) });
const free: fc.Arbitrary<Values> = fc.constant({ price: 0, feeSale: 0, feeProducer: 0 });
const which = fc.nat(99);
const amounts = fc.array(fc.nat(3), { minLength: 4, maxLength: 4 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('place' as const), wanted: amounts, open: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('pay' as const), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cancel' as const), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), minutes: fc.integer({ min: 1, max: 6 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('refund' as const),
      which,
      parts: fc.option(amounts),
      restock: fc.boolean(),
    }),
  },
);

/** The expected money of one round, computed only from the responses of the service. */
class Model {
  readonly accounts = { producer: 0, platform: 0, 'payment:card': 0 };
  readonly #values: ReadonlyMap<number, Values>;

  constructor(itemIds: readonly number[], all: readonly Values[]) {
    this.#values = new Map(itemIds.map((id, i) => [id, all[i] as Values]));
  }

  sell(lines: readonly Wanted[], sign: 1 | -1 = 1): void {
    for (const { itemId, quantity } of lines) {
      const { price, feeSale, feeProducer } = this.#values.get(itemId) as Values;
      this.accounts.producer += sign * quantity * (price - feeProducer);
      this.accounts.platform += sign * quantity * (feeSale + feeProducer);
      this.accounts['payment:card'] -= sign * quantity * (price + feeSale);
    }
  }
}

interface Known extends PlacedOrder {
  left: Map<number, number>;
}

/** One round of random requests, with its orders and the expected money. */
class Round {
  readonly orders: Known[] = [];
  readonly model: Model;
  readonly #itemIds: readonly number[];

  constructor(itemIds: readonly number[], all: readonly Values[]) {
    this.#itemIds = itemIds;
    this.model = new Model(itemIds, all);
  }

  /** Runs one random step. Returns the status code of the response, or 0 if no order was available for the step. */
  async carryOut(step: Step): Promise<number> {
    if (step.do === 'place') return this.#place(step.wanted, step.open);
    if (step.do === 'wait') {
      world.now = new Date(world.now.getTime() + step.minutes * 60_000);
      return 0;
    }
    const order = this.orders[step.which % Math.max(1, this.orders.length)];
    if (!order) return 0;
    if (step.do === 'pay') return this.#pay(order);
    return step.do === 'cancel' ? (await shop.cancel(order)).statusCode : this.#refund(order, step.parts, step.restock);
  }

  #wanted(quantities: readonly number[]): Wanted[] {
    return this.#itemIds.map((itemId, i) => ({ itemId, quantity: quantities[i] ?? 0 })).filter(({ quantity }) => quantity > 0);
  }

  async #place(quantities: readonly number[], open: boolean): Promise<number> {
    const wanted = this.#wanted(quantities).filter(({ itemId }) => open || itemId !== this.#itemIds[1]);
    const answer = await shop.place(wanted, open ? { passkey: 'model' } : {});
    if (answer.statusCode !== 201) return answer.statusCode;
    const order = answer.json<PlacedOrder>();
    this.orders.push({ ...order, left: new Map(order.lines.map(({ itemId, quantity }) => [itemId, quantity])) });
    return 201;
  }

  async #pay(order: Known): Promise<number> {
    const { statusCode } = await shop.pay(order);
    if (statusCode === 201) this.model.sell(order.lines);
    return statusCode;
  }

  async #refund(order: Known, parts: number[] | null, restock: boolean): Promise<number> {
    // Refunds lines of the order, possibly more tickets than are left.
    const ordered = new Map(order.lines.map(({ itemId, quantity }) => [itemId, quantity]));
    const within = ({ itemId, quantity }: Wanted) => ({ itemId, quantity: Math.min(quantity, ordered.get(itemId) ?? 0) });
    const lines =
      parts &&
      this.#wanted(parts)
        .map(within)
        .filter(({ quantity }) => quantity > 0);
    const { statusCode } = await shop.refund(order, { restock, ...(lines && { lines }) });
    if (statusCode !== 200) return statusCode;
    const gone = lines ?? [...order.left].map(([itemId, quantity]) => ({ itemId, quantity }));
    for (const { itemId, quantity } of gone) order.left.set(itemId, (order.left.get(itemId) ?? 0) - quantity);
    if (order.total > 0) this.model.sell(gone, -1);
    return 200;
  }
}

/** Creates four items: in a group, hidden with a passkey, scarce, and free. */
async function stockUp(all: readonly Values[]): Promise<number[]> {
  const group = (await shop.write('POST', '/items', { eventId: world.event, name: 'Group', type: 'group', quantity: 12 })).id;
  const fields = [{ parentId: group }, { parentId: group, hidden: true }, { quantity: 6 }, {}];
  const ids: number[] = [];
  for (const [i, values] of all.entries()) ids.push(await shop.newItem({ item: fields[i] ?? {}, values, available: 15 }));
  return ids;
}

async function sumsOf(itemIds: readonly number[]): Promise<Record<string, number>> {
  const { rows } = await world.pool.query<{ account: string; amount: string }>(
    `select account, sum(moved)::float8 as amount
       from ledger_posting, lateral (values (source, -amount), (target, amount)) as side (account, moved)
      where item_id = any($1) group by 1`,
    [itemIds],
  );
  return Object.fromEntries(rows.map(({ account, amount }) => [account, Number(amount)]));
}

const findings = () => auditFindings(world.db);

const runs = Number(process.env.RANDOM_ORDER_RUNS ?? 12);

describe('random orders, payments, cancellations and refunds', () => {
  it('leave counters, tickets and ledger consistent, to the cent', async () => {
    const { id } = await shop.write('POST', '/passkeys', { eventId: world.event, passkey: 'model' });
    const wares = fc.tuple(values, values, values, free);
    const seen = new Set<string>();
    const buying = async (all: readonly Values[], steps: readonly Step[]) => {
      world.now = noon;
      const itemIds = await stockUp(all);
      await shop.write('PUT', `/passkeys/${id}/items`, { itemIds: [itemIds[1]] });
      const round = new Round(itemIds, all);
      for (const each of steps) seen.add(`${each.do} ${await round.carryOut(each)}`);
      expect({ producer: 0, platform: 0, 'payment:card': 0, ...(await sumsOf(itemIds)) }).toEqual(round.model.accounts);
      expect(round.orders.flatMap(({ left }) => [...left.values()]).filter((n) => n < 0)).toEqual([]);
      expect(await findings()).toEqual([]);
    };
    await fc.assert(fc.asyncProperty(wares, fc.array(step, { minLength: 10, maxLength: 40 }), buying), { numRuns: runs });
    expect([...seen].filter((what) => what.endsWith(' 500'))).toEqual([]);
    // The random steps must have covered these cases.
    expect([...seen]).toEqual(
      expect.arrayContaining(['place 201', 'place 409', 'pay 201', 'pay 409', 'cancel 200', 'refund 200', 'refund 422']),
    );
  }, 600_000);

  it('leave counters, tickets and ledger consistent when all requests run concurrently', async () => {
    const all = [{ price: 3333, feeSale: 334, feeProducer: 5000 }];
    const [itemId = 0] = await stockUp(all);
    const buy = async () => {
      const placed = await shop.place([{ itemId, quantity: 2 }]);
      if (placed.statusCode !== 201) return;
      const order = placed.json<PlacedOrder>();
      const part = { lines: [{ itemId, quantity: 1 }] };
      await Promise.all([shop.pay(order), shop.pay(order), shop.cancel(order), shop.refund(order, part), shop.refund(order, part)]);
      await Promise.all([shop.refund(order, part), shop.refund(order), shop.refund(order, { ...part, restock: false })]);
    };
    await Promise.all(Array.from({ length: 8 }, buy));
    expect(await findings()).toEqual([]);
    world.now = minutesAfterNoon(10);
    expect(await findings()).toEqual([]);
  }, 240_000);
});
