import { afterEach, describe, expect, it } from 'vitest';
import { eventuallyWaiting } from '../../test/eventually.ts';
import { useWorld } from '../../test/harness.ts';
import { shopOf } from '../../test/shop.ts';
import type { PlacedOrder } from './order-schemas.ts';

const world = useWorld();
const shop = shopOf(world);
const buyer = { name: 'Ana Souza', email: 'ana@test.test' };

let unlock = async (): Promise<void> => undefined;
afterEach(() => unlock());

/** Locks the item until the end of the test. Every sale of the item waits for this lock. */
async function lockItem(itemId: number): Promise<void> {
  const client = await world.pool.connect();
  await client.query('begin');
  await client.query('select from item where id = $1 for update', [itemId]);
  unlock = async () => {
    await client.query('rollback');
    client.release();
    unlock = async () => undefined;
  };
}

const placeAt = (eventId: number, itemId: number) =>
  world.call('POST', '/orders', { body: { eventId, items: [{ itemId, quantity: 1 }], buyer } });

/** Sends three requests: one batch waits for the lock, and the next batch queues behind it. */
async function fillQueue(send: () => ReturnType<typeof world.call>) {
  const sent = [send(), send(), send()];
  const waitingForLocks = async () =>
    (await world.pool.query(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)).rowCount ?? 0;
  await expect.poll(waitingForLocks, { timeout: 20_000 }).toBeGreaterThan(0);
  return sent;
}

describe('while a lock delays one event', () => {
  it('POST /orders for every other event returns 201', async () => {
    const itemId = await shop.newItem();
    await lockItem(itemId);
    const delayed = await fillQueue(() => placeAt(world.event, itemId));
    expect((await placeAt(world.siblingEvent, world.siblingItem)).statusCode).toBe(201);
    expect((await placeAt(world.foreignEvent, world.foreignItem)).statusCode).toBe(201);
    await unlock();
    expect((await Promise.all(delayed)).map(({ statusCode }) => statusCode)).toEqual([201, 201, 201]);
  });

  it('POST /orders for another event returns 422 without waiting when it names a locked item', async () => {
    const itemId = await shop.newItem();
    await lockItem(itemId);
    const answer = await placeAt(world.siblingEvent, itemId);
    expect(answer.json()).toMatchObject({ status: 422, errors: [{ field: 'items[0].itemId', code: 'unknown' }] });
  });

  it('POST /orders for another event returns 422 without waiting when it names a locked session', async () => {
    const { rows } = await world.pool.query('select id from event_session where event_id = $1', [world.foreignEvent]);
    const sessionId = Number(rows[0].id);
    const client = await world.pool.connect();
    try {
      await client.query('begin');
      await client.query('select from event_session where id = $1 for update', [sessionId]);
      const body = { eventId: world.siblingEvent, sessionId, items: [{ itemId: world.siblingItem, quantity: 1 }], buyer };
      expect((await world.call('POST', '/orders', { body })).json()).toMatchObject({ status: 422, errors: [{ field: 'sessionId' }] });
    } finally {
      await client.query('rollback');
      client.release();
    }
  });

  it('POST /orders/{id}/payment and /cancel succeed for orders of another event', async () => {
    const itemId = await shop.newItem();
    const stuck = [await shop.hold([{ itemId, quantity: 1 }]), await shop.hold([{ itemId, quantity: 1 }])] as const;
    const paid = (await placeAt(world.siblingEvent, world.siblingItem)).json<PlacedOrder>();
    const cancelled = (await placeAt(world.siblingEvent, world.siblingItem)).json<PlacedOrder>();
    await lockItem(itemId);
    const payments = await fillQueue(() => shop.pay(stuck[0]));
    const cancellations = [shop.cancel(stuck[1]), shop.cancel(stuck[1]), shop.cancel(stuck[1])];
    expect((await shop.pay(paid)).statusCode).toBe(201);
    expect((await shop.cancel(cancelled)).statusCode).toBe(200);
    await unlock();
    expect((await Promise.all(payments)).map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([201, 409, 409]);
    expect((await Promise.all(cancellations)).map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
  });
});

describe('items with imported codes', () => {
  const free = { price: 0, feeSale: 0, feeProducer: 0 };
  const numbersUsed = async () => Number((await world.pool.query('select last_value from ticket_order_id')).rows[0].last_value);

  it('POST /orders returns 409 when all codes are sold or held, and the event page shows sold out', async () => {
    const itemId = await shop.newItem({ attributes: { customCode: true } });
    await shop.importCodes(itemId, 'LEFT-1', 'LEFT-2', 'LEFT-3');
    expect((await world.call('GET', `/items/${itemId}`, { as: 'owner' })).json()).toMatchObject({ remaining: 3, status: 'available' });
    const held = await shop.hold([{ itemId, quantity: 2 }]);
    const answer = await shop.place([{ itemId, quantity: 2 }]);
    expect(answer.json()).toMatchObject({ status: 409, code: 'sold_out', lines: [{ itemId, quantity: 2, remaining: 1 }] });
    expect((await shop.pay(held)).statusCode).toBe(201);
    await shop.buy([{ itemId, quantity: 1 }]);
    expect((await world.call('GET', `/items/${itemId}`, { as: 'owner' })).json()).toMatchObject({ remaining: 0, status: 'soldout' });
  });

  it('POST /orders returns 409 for the free orders of a batch for which no codes are left, and decides each order once', async () => {
    const itemId = await shop.newItem({ values: free, attributes: { customCode: true } });
    await shop.importCodes(itemId, 'FREE-1', 'FREE-2');
    const before = await numbersUsed();
    const answers = await Promise.all(Array.from({ length: 8 }, () => shop.place([{ itemId, quantity: 1 }])));
    expect(answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([201, 201, 409, 409, 409, 409, 409, 409]);
    // Every decision draws an order id, even if its transaction is rolled back.
    expect((await numbersUsed()) - before).toBe(8);
    const { rows } = await world.pool.query(
      'select c.code from ticket t join external_code c on c.id = t.external_code_id where t.item_id = $1 order by c.code',
      [itemId],
    );
    expect(rows.map(({ code }) => code)).toEqual(['FREE-1', 'FREE-2']);
  });

  it('DELETE /items/{itemId}/codes/{codeId} waits for a concurrent sale that counted the code', async () => {
    const itemId = await shop.newItem({ attributes: { customCode: true } });
    await shop.importCodes(itemId, 'ONLY-1');
    const { rows } = await world.pool.query(`select id from external_code where item_id = $1`, [itemId]);
    await lockItem(itemId);
    const deleted = world.call('DELETE', `/items/${itemId}/codes/${rows[0].id}`, { as: 'owner' });
    await eventuallyWaiting(world.pool, 1);
    await unlock();
    expect((await deleted).statusCode).toBe(204);
  });
});
