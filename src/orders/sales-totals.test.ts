import { describe, expect, it } from 'vitest';
import { runBehindLock } from '../../test/behind-lock.ts';
import { useWorld } from '../../test/harness.ts';
import { shopOf } from '../../test/shop.ts';
import { minutesAfterNoon, noon } from '../../test/world.ts';
import type { PlacedOrder } from './order-schemas.ts';
import type { OrderTicket } from './ticket-contract.ts';

const world = useWorld();
const shop = shopOf(world);

const columns = 'method, price, tickets, refunded, first_at, last_at, producer, platform, fee_sale';
const totalsIn = async (table: 'sales_total' | 'sales_recount', itemId: number): Promise<unknown[]> =>
  (await world.pool.query(`select ${columns} from ${table} where item_id = $1 order by method, price`, [itemId])).rows;

/** Returns the sums of an item, after comparing them with the sums that the orders and the ledger give. */
async function totalsOf(itemId: number): Promise<unknown[]> {
  const totals = await totalsIn('sales_total', itemId);
  expect(totals).toEqual(await totalsIn('sales_recount', itemId));
  return totals;
}

const ticketsOf = async ({ id }: PlacedOrder) =>
  (await world.call('GET', `/orders/${id}/tickets`, { as: 'owner' })).json<{ data: OrderTicket[] }>().data;

describe('the sums of the sales report', () => {
  it('have one row per payment method and price, with the money of producer and platform', async () => {
    const itemId = await shop.newItem({ values: { price: 1000, feeSale: 100, feeProducer: 1200 } });
    await shop.buy([{ itemId, quantity: 2 }]);
    world.now = minutesAfterNoon(3);
    const cash = await shop.hold([{ itemId, quantity: 1 }]);
    await world.call('POST', `/orders/${cash.id}/payment`, { as: 'owner', body: { method: 'cash' } });
    await shop.buy([{ itemId, quantity: 1 }]);
    world.now = noon;
    const common = { price: 1000, refunded: 0, last_at: minutesAfterNoon(3) };
    expect(await totalsOf(itemId)).toEqual([
      { ...common, method: 'card', tickets: 3, first_at: noon, producer: -600, platform: 3900, fee_sale: 300 },
      { ...common, method: 'cash', tickets: 1, first_at: minutesAfterNoon(3), producer: -200, platform: 1300, fee_sale: 100 },
    ]);
  });

  it('count free tickets without money, even if the producer would pay a fee', async () => {
    const itemId = await shop.newItem({ values: { price: 0, feeSale: 0, feeProducer: 50 } });
    const order = await shop.buy([{ itemId, quantity: 3 }]);
    expect((await shop.refund(order, { lines: [{ itemId, quantity: 1 }] })).statusCode).toBe(200);
    expect(await totalsOf(itemId)).toMatchObject([{ method: 'free', tickets: 3, refunded: 1, producer: 0, platform: 0, fee_sale: 0 }]);
  });

  it('lose the money of refunded orders and tickets, with and without restocking', async () => {
    const itemId = await shop.newItem();
    const [first, second] = [await shop.buy([{ itemId, quantity: 3 }]), await shop.buy([{ itemId, quantity: 1 }])];
    const [ticket] = await ticketsOf(first);
    expect((await shop.refund(first, { ticketIds: [ticket?.id], restock: false })).statusCode).toBe(200);
    expect((await shop.refund(second)).statusCode).toBe(200);
    expect(await totalsOf(itemId)).toMatchObject([{ tickets: 4, refunded: 2, producer: 10_000, platform: 1_000, fee_sale: 1_000 }]);
  });

  it('are protected by the lock of the item, for sales and for refunds without restocking', async () => {
    const itemId = await shop.newItem();
    const orders = await Promise.all(Array.from({ length: 4 }, () => shop.buy([{ itemId, quantity: 1 }])));
    const held = await shop.hold([{ itemId, quantity: 1 }]);
    const refunds = orders.map((order) => () => shop.refund(order, { restock: false }));
    const lock = `select from item where id = ${itemId} for no key update`;
    const answers = await runBehindLock(world, lock, [...refunds, () => shop.pay(held)]);
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200, 201]);
    expect(await totalsOf(itemId)).toMatchObject([{ tickets: 5, refunded: 4, producer: 5_000 }]);
  });
});

describe('the log of ticket changes', () => {
  const changesOf = async (eventId: number): Promise<{ id: number }[]> =>
    (await world.pool.query('select * from ticket_change where event_id = $1 order by id', [eventId])).rows;
  const lastOf = async (eventId: number) =>
    (await world.pool.query<{ last_change: number }>('select last_change from ticket_log where event_id = $1', [eventId])).rows[0];

  it('numbers the changes of each event without gaps: issued orders and refunded tickets', async () => {
    const itemId = await shop.newItem();
    const before = (await changesOf(world.event)).length;
    const [one, two] = [await shop.buy([{ itemId, quantity: 2 }]), await shop.buy([{ itemId, quantity: 1 }])];
    const [ticket] = await ticketsOf(one);
    await shop.refund(one, { ticketIds: [ticket?.id] });
    const changes = await changesOf(world.event);
    expect(changes.map(({ id }) => id)).toEqual(changes.map((_, i) => i + 1));
    expect(changes.slice(before)).toMatchObject([
      { issued_order_ids: [one.id], changed_ids: null },
      { issued_order_ids: [two.id], changed_ids: null },
      { issued_order_ids: null, changed_ids: [ticket?.id] },
    ]);
    expect(await lastOf(world.event)).toEqual({ last_change: changes.length });
  });

  it('has one change per event for orders of several events, also when several processes sell at once', async () => {
    const free = { price: 0, feeSale: 0, feeProducer: 0 };
    const here = await shop.newItem({ values: free });
    const there = await shop.newItem({ values: free, item: { eventId: world.siblingEvent } });
    const apps = [world.app, await world.newApp(), await world.newApp()];
    const orders = Array.from({ length: 60 }, (_, i) => {
      const [eventId, itemId] = i % 2 === 0 ? [world.event, here] : [world.siblingEvent, there];
      const body = { eventId, items: [{ itemId, quantity: 1 }], buyer: { name: 'Ana', email: `ana${i}@test.test` } };
      return world.call('POST', '/orders', { body, app: apps[i % 3] as (typeof apps)[0] });
    });
    const placed = await Promise.all(orders);
    expect(placed.map(({ statusCode }) => statusCode)).toEqual(placed.map(() => 201));
    for (const [eventId, itemId] of [
      [world.event, here],
      [world.siblingEvent, there],
    ] as const) {
      const { rows } = await world.pool.query<{ order_id: number }>(
        `select unnest(issued_order_ids) as order_id from ticket_change where event_id = $1
         intersect all select order_id from ticket where event_id = $1 and item_id = $2`,
        [eventId, itemId],
      );
      expect(rows).toHaveLength(30);
      expect(await totalsOf(itemId)).toMatchObject([{ tickets: 30 }]);
    }
  });
});
