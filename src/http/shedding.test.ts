import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { useWorld, type World } from '../../test/harness.ts';
import { shopOf } from '../../test/shop.ts';

const worlds = { on: useWorld({ LOAD_SHEDDING: 'on' }), off: useWorld() };

/** Three orders one after the other while the database keeps the first two, which are all that it is given at once, for longer than people wait. */
async function orderWhileBusy(world: World) {
  const shop = shopOf(world);
  const itemId = await shop.newItem();
  const client = await world.pool.connect();
  try {
    await client.query('begin');
    await client.query('select from item where id = $1 for update', [itemId]);
    const orders = [];
    for (let n = 0; n < 3; n++) {
      orders.push(shop.place([{ itemId, quantity: 1 }]));
      await sleep(100);
    }
    await sleep(1_200);
    await client.query('commit');
    return await Promise.all(orders);
  } finally {
    client.release();
  }
}

describe('who waits in line', () => {
  it('503: is told to come back when they have waited longer than people do', async () => {
    const [first, second, third] = await orderWhileBusy(worlds.on);
    expect([first?.statusCode, second?.statusCode]).toEqual([201, 201]);
    expect(third?.json()).toMatchObject({ status: 503, code: 'overloaded', detail: 'Too many requests are waiting. Try again later.' });
    expect(Number(third?.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  });

  it('control: without shedding they are served, however late', async () => {
    expect((await orderWhileBusy(worlds.off)).map(({ statusCode }) => statusCode)).toEqual([201, 201, 201]);
  });
});
