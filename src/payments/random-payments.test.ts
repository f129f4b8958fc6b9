import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { auditFindings } from '../../test/audit-findings.ts';
import { useWorld } from '../../test/harness.ts';
import { pixPaymentsOf } from '../../test/pix-payments.ts';
import { shopOf } from '../../test/shop.ts';
import { noon } from '../../test/world.ts';
import type { Order, PlacedOrder } from '../orders/order-schemas.ts';
import { applyNotices } from './apply-notices.ts';
import { finishPayments } from './finish-payments.ts';
import { finishRefunds } from './finish-refunds.ts';

const world = useWorld();
const shop = shopOf(world);
const { run, payPix, read, ticketsOf, sendNotice } = pixPaymentsOf(world);

const which = fc.nat(99);
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('place' as const), quantity: fc.integer({ min: 1, max: 2 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('pix' as const), which }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('notify' as const),
      which,
      event: fc.constantFrom('paid', 'paid', 'failed'),
      off: fc.constantFrom(0, 0, 0, -1, 1),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('apply' as const, 'card' as const, 'cancel' as const, 'refund' as const), which }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), minutes: fc.integer({ min: 1, max: 12 }) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** Places orders for a scarce item, and sends random requests and notices about these orders. */
class Round {
  readonly orders: PlacedOrder[] = [];
  readonly #payments: { reference: string; amount: number }[] = [];
  readonly #itemId: number;

  constructor(itemId: number) {
    this.#itemId = itemId;
  }

  async carryOut(each: Step): Promise<void> {
    if (each.do === 'wait') world.now = new Date(world.now.getTime() + each.minutes * 60_000);
    if (each.do === 'apply') await this.#work();
    if (each.do === 'place') await this.#place(each.quantity);
    const order = 'which' in each && this.orders[each.which % Math.max(1, this.orders.length)];
    if (order && each.do === 'pix') await this.#pix(order);
    if (order && each.do === 'card') await shop.pay(order);
    if (order && each.do === 'cancel') await shop.cancel(order);
    if (order && each.do === 'refund') await shop.refund(order);
    const payment = each.do === 'notify' && this.#payments[each.which % Math.max(1, this.#payments.length)];
    if (payment && each.do === 'notify')
      await sendNotice({ reference: payment.reference, event: each.event, amount: payment.amount + each.off });
  }

  async #work(): Promise<void> {
    await run(applyNotices);
    await run(finishPayments);
    await run(finishRefunds);
  }

  async #place(quantity: number): Promise<void> {
    const answer = await shop.place([{ itemId: this.#itemId, quantity }]);
    if (answer.statusCode === 201) this.orders.push(answer.json());
  }

  async #pix(order: PlacedOrder): Promise<void> {
    const answer = await payPix(order);
    const payment = answer.statusCode === 201 ? answer.json<Order>().payments.at(-1) : undefined;
    if (payment?.reference) this.#payments.push({ reference: payment.reference, amount: payment.amount });
  }
}

describe('random payments and notices in any order', () => {
  it('leave every order with tickets or a refund, and the ledger consistent to the cent', async () => {
    const seen = new Set<string>();
    const runSteps = async (steps: readonly Step[]) => {
      world.now = noon;
      const round = new Round(await shop.newItem({ item: { quantity: 4 } }));
      for (const each of steps) await round.carryOut(each);
      await run(applyNotices);
      await run(finishRefunds);
      expect(await auditFindings(world.db)).toEqual([]);
      for (const order of round.orders) {
        const { status, total, payments } = await read(order);
        const kept = payments.reduce((sum, { received, returned }) => sum + received - returned, 0);
        const tickets = await ticketsOf(order);
        expect({ kept, tickets: tickets.length > 0 }).toEqual(
          status === 'approved' || status === 'refunded' ? { kept: total, tickets: true } : { kept: 0, tickets: false },
        );
        for (const payment of payments) seen.add(`${status} ${payment.method} ${payment.status}`);
      }
    };
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 40 }), runSteps), { numRuns: 12 });
    // The random steps must have covered these cases.
    expect([...seen].map((each) => each.split(' ').slice(1).join(' '))).toEqual(
      expect.arrayContaining(['pix approved', 'pix pending', 'pix declined', 'pix refunded', 'card approved']),
    );
  }, 240_000);
});
