import { beforeAll, describe, expect, it } from 'vitest';
import { auditOf } from '../../test/audit.ts';
import { useWorld } from '../../test/harness.ts';
import { shopOf } from '../../test/shop.ts';
import { minutesAfterNoon, noon } from '../../test/world.ts';
import type { Item } from './item-schemas.ts';

const world = useWorld();
const shop = shopOf(world);
let first: number;
let second: number;
let bare: number;

const send = (items: object[]) => world.call('PUT', `/event/${world.event}/items`, { as: 'owner', body: { items } });
const read = async (id: number): Promise<Item> => (await world.call('GET', `/items/${id}`, { as: 'owner' })).json();

beforeAll(async () => {
  first = await shop.newItem({ item: { name: 'Lot 1', quantity: 50 } });
  second = await shop.newItem({ item: { name: 'Lot 2', quantity: 50 } });
  bare = (await shop.write('POST', '/items', { eventId: world.event, name: 'Lot 3' })).id;
});

describe('PUT /event/{id}/items', () => {
  it('returns 200 and changes the fields that are present, and creates values and sale periods that are missing', async () => {
    const start = '2026-02-01 10:00:00';
    const answer = await send([
      { id: second, updatedAt: (await read(second)).updatedAt, quantity: 60, values: { price: 7000 } },
      { id: bare, values: { price: 900 }, salesPeriod: { appCategoryId: 1, start, finish: '2026-05-01 10:00:00', available: 5 } },
      { id: first, salesPeriod: { appCategoryId: 1, finish: '2026-05-01 10:00:00' } },
    ]);
    expect(answer.statusCode, answer.body).toBe(200);
    expect(answer.json().data.map(({ id }: Item) => id)).toEqual([second, bare, first]);
    expect(await read(second)).toMatchObject({ quantity: 60, values: { price: 7000, feeSale: 500 } });
    expect(await read(bare)).toMatchObject({ values: { price: 900, feeSale: 0 }, salesPeriods: [{ available: 5 }] });
    expect(await read(first)).toMatchObject({ salesPeriods: [{ start, finish: '2026-05-01 10:00:00', available: 1000 }] });
    expect((await auditOf(world, answer)).map(({ on }) => on)).toEqual([
      `item ${second}`,
      `item_values ${second}`,
      `item_values ${bare}`,
      `sale_period ${bare}`,
      `sale_period ${first}`,
    ]);
  });

  it('returns 412 with the ids of the items that somebody else has changed, and changes nothing', async () => {
    const [one, two] = [await read(first), await read(second)];
    world.now = minutesAfterNoon(1);
    await shop.write('PUT', `/items/${second}`, { name: 'Lot two' });
    await shop.buy([{ itemId: first, quantity: 1 }]);
    const edits = [one, two].map(({ id, updatedAt }) => ({ id, updatedAt, quantity: 70 }));
    const answer = await send(edits);
    world.now = noon;
    expect(answer.statusCode).toBe(412);
    expect(answer.json()).toMatchObject({ code: 'stale_version', itemIds: [second] });
    expect([(await read(first)).quantity, (await read(second)).quantity]).toEqual([50, 60]);
  });

  it('returns 422 that names the field of the item, and changes nothing', async () => {
    const answer = await send([
      { id: second, values: { price: 1 } },
      { id: first, quantity: 0 },
    ]);
    expect(answer.statusCode).toBe(422);
    expect(answer.json().errors).toMatchObject([{ in: 'body', field: 'items[1].quantity' }]);
    expect(await read(second)).toMatchObject({ values: { price: 7000 } });
  });

  it.each([
    ['an item of another event', () => [{ id: world.foreignItem, quantity: 1 }], 'unknown'],
    [
      'an item that is listed twice',
      () => [
        { id: first, quantity: 90 },
        { id: first, quantity: 91 },
      ],
      'repeated',
    ],
    ['a new sale period without its times', () => [{ id: first, salesPeriod: { appCategoryId: 4, available: 1 } }], 'incomplete'],
  ])('returns 422 for %s', async (_name, items, code) => {
    const answer = await send(items());
    expect(answer.statusCode, answer.body).toBe(422);
    expect(answer.json().errors).toMatchObject([{ code }]);
  });

  it('returns 400 for an item without a change', async () => {
    expect((await send([{ id: first }])).statusCode).toBe(400);
  });
});
