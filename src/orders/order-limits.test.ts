import { describe, expect, it } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import { shopOf } from '../../test/shop.ts';
import type { Caller } from '../../test/world.ts';
import { app, boxOffice, webShop } from '../catalog/item.ts';

const world = useWorld();
const shop = shopOf(world);

interface Sale {
  eventId: number;
  itemId: number;
}

const place = (body: object, caller: { as?: Caller; token?: string } = {}) =>
  world.call('POST', '/orders', { body: { buyer: { name: 'Ana Souza', email: 'ana@test.test' }, ...body }, ...caller });

async function newEvent(settings: { maximumPerOrder?: number } = {}): Promise<number> {
  const basics = { producerId: world.producer, category: 'music', title: 'Sale', timezone: 'America/Sao_Paulo' };
  const { id } = await shop.write('POST', '/event', { ...basics, ...settings });
  await shop.write('POST', `/event/${id}/session`, { name: 'Night', start: '2026-06-01 20:00:00', finish: '2026-06-01 23:00:00' });
  await shop.write('POST', `/event/${id}/publish`, {});
  return id;
}

async function newSale(quantity: number, settings: { maximumPerOrder?: number } = {}): Promise<Sale> {
  const eventId = await newEvent(settings);
  return { eventId, itemId: await shop.newItem({ item: { eventId, quantity } }) };
}

const orderOf = ({ eventId, itemId }: Sale, quantity: number, more: object = {}) => ({ eventId, items: [{ itemId, quantity }], ...more });

describe('the maximum number of tickets per order', () => {
  it('POST /orders returns 422 with the allowed number when an order exceeds maximumPerOrder', async () => {
    const sale = await newSale(1000);
    const answer = await place(orderOf(sale, 21));
    expect(answer.json()).toMatchObject({ status: 422, code: 'rule_violation', errors: [{ field: 'items', code: 'maximum' }] });
    expect(answer.json<{ detail: string }>().detail).toContain('at most 20 tickets');
    expect((await place(orderOf(sale, 20))).statusCode).toBe(201);
  });

  it('POST /orders counts the tickets of all lines against maximumPerOrder', async () => {
    const sale = await newSale(1000, { maximumPerOrder: 5 });
    const second = await shop.newItem({ item: { eventId: sale.eventId, quantity: 100 } });
    const items = (quantity: number) => [
      { itemId: sale.itemId, quantity: 3 },
      { itemId: second, quantity },
    ];
    expect((await place({ eventId: sale.eventId, items: items(3) })).statusCode).toBe(422);
    expect((await place({ eventId: sale.eventId, items: items(2) })).statusCode).toBe(201);
  });

  it('POST /orders returns 201 for 500 tickets at the box office and 422 for more', async () => {
    const eventId = world.event;
    const itemId = await shop.newItem({ item: { quantity: 2000 } });
    const period = { appCategoryId: boxOffice, start: '2026-02-01 10:00:00', finish: '2026-06-01 20:00:00', available: 2000 };
    await shop.write('POST', `/items/${itemId}/sales-period`, period);
    const atBoxOffice = (quantity: number) =>
      place(orderOf({ eventId, itemId }, quantity, { appCategoryId: boxOffice }), { as: 'crew_sales_operator' });
    expect((await atBoxOffice(501)).json()).toMatchObject({ status: 422, errors: [{ field: 'items', code: 'maximum' }] });
    expect((await atBoxOffice(500)).statusCode).toBe(201);
  });

  it('PUT /event/{id} stores maximumPerOrder and challenge, and returns 400 for values out of range', async () => {
    const id = await newEvent();
    const read = async () => (await world.call('GET', `/event/${id}`)).json<object>();
    expect(await read()).toMatchObject({ maximumPerOrder: 20, challenge: 'auto' });
    await shop.write('PUT', `/event/${id}`, { maximumPerOrder: 200, challenge: 'always' });
    expect(await read()).toMatchObject({ maximumPerOrder: 200, challenge: 'always' });
    for (const wrong of [{ maximumPerOrder: 0 }, { maximumPerOrder: 201 }, { challenge: 'never' }]) {
      expect((await world.call('PUT', `/event/${id}`, { as: 'owner', body: wrong })).statusCode).toBe(400);
    }
  });
});

describe('sales channels', () => {
  const partner = 4;

  async function partnerItem(): Promise<Sale> {
    const itemId = await shop.newItem({ item: { quantity: 100 } });
    const span = { start: '2026-02-01 10:00:00', finish: '2026-06-01 20:00:00', available: 50 };
    for (const appCategoryId of [app, partner]) await shop.write('POST', `/items/${itemId}/sales-period`, { appCategoryId, ...span });
    return { eventId: world.event, itemId };
  }

  const tokenWith = async (body: object): Promise<string> =>
    (await shop.write<{ token: string }>('POST', '/auth/tokens', { name: 'Partner', permissions: ['order.sell'], ...body })).token;

  it('POST /orders on a channel other than web shop and app returns 403 to callers who may not sell at the event', async () => {
    const sale = await partnerItem();
    const body = orderOf(sale, 1, { appCategoryId: partner });
    for (const as of [undefined, 'stranger', 'otherOwner', 'crew_entrance_operator'] as const) {
      expect((await place(body, as ? { as } : {})).json()).toMatchObject({
        status: 403,
        detail: expect.stringContaining('Channel 4 needs'),
      });
    }
    expect((await place(body, { as: 'crew_sales_operator' })).statusCode).toBe(201);
    for (const appCategoryId of [webShop, app]) expect((await place(orderOf(sale, 1, { appCategoryId }))).statusCode).toBe(201);
  });

  it('POST /orders returns 403 if the API token is not allowed to order through the channel', async () => {
    const sale = await partnerItem();
    const token = await tokenWith({ channels: [partner] });
    expect((await place(orderOf(sale, 1, { appCategoryId: partner }), { token })).statusCode).toBe(201);
    for (const appCategoryId of [undefined, webShop, app]) {
      expect((await place(orderOf(sale, 1, { appCategoryId }), { token })).json()).toMatchObject({
        status: 403,
        detail: expect.stringContaining('only through 4'),
      });
    }
    const any = await tokenWith({});
    expect((await place(orderOf(sale, 1, { appCategoryId: partner }), { token: any })).statusCode).toBe(201);
    const reader = await tokenWith({ permissions: ['order.read'], channels: [partner] });
    expect((await place(orderOf(sale, 1, { appCategoryId: partner }), { token: reader })).statusCode).toBe(403);
  });

  it('POST /auth/tokens returns 400 for invalid channels', async () => {
    for (const channels of [[], [0], [4, 4], ['4']]) {
      const body = { name: 'Partner', permissions: ['order.sell'], channels };
      expect((await world.call('POST', '/auth/tokens', { as: 'owner', body })).statusCode).toBe(400);
    }
  });
});
