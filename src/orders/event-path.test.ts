import { beforeAll, describe, expect, it } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import { shopOf } from '../../test/shop.ts';
import type { PlacedOrder } from './order-schemas.ts';

const world = useWorld();
const shop = shopOf(world);
const buyer = { name: 'Ana Souza', email: 'ana@test.test' };
let itemId = 0;
let other = 0;

beforeAll(async () => {
  itemId = await shop.newItem();
  other = world.siblingEvent;
});

const place = (event: number | string, body: object) => world.call('POST', `/event/${event}/orders`, { body });
const held = async (): Promise<PlacedOrder> => (await place(world.event, { items: [{ itemId, quantity: 1 }] })).json();

/** The operations on an order below the path of an event, in the order in which a buyer calls them. */
const steps: [method: 'GET' | 'POST' | 'PUT', path: string, body: object | undefined, status: number][] = [
  ['GET', '', undefined, 200],
  ['PUT', '/buyer', buyer, 200],
  ['POST', '/extend', undefined, 200],
  ['POST', '/payment', { method: 'card' }, 201],
  ['POST', '/refund', {}, 200],
];

const send = (event: number, { id, secret }: PlacedOrder, [method, path, body]: (typeof steps)[number]) =>
  world.call(method, `/event/${event}/orders/${id}${path}`, {
    headers: { authorization: `Order ${secret}` },
    ...(body && { body }),
  });

describe('POST /event/{eventId}/orders', () => {
  it('places an order of the event, with or without eventId in the body', async () => {
    const items = [{ itemId, quantity: 1 }];
    for (const body of [
      { items, buyer },
      { items, buyer, eventId: world.event },
    ]) {
      const placed = await place(world.event, body);
      expect([placed.statusCode, placed.json().eventId]).toEqual([201, world.event]);
    }
  });

  it('returns 400 if the body names another event, and 404 if the path names none', async () => {
    const mismatch = await place(world.event, { items: [{ itemId, quantity: 1 }], buyer, eventId: other });
    expect([mismatch.statusCode, mismatch.json().errors?.[0]?.field]).toEqual([400, 'eventId']);
    expect((await place('none', { items: [{ itemId, quantity: 1 }], buyer })).statusCode).toBe(404);
  });

  it('returns 405 with all methods of the path', async () => {
    const refused = await world.call('DELETE', `/event/${world.event}/orders`);
    expect([refused.statusCode, refused.headers.allow]).toEqual([405, 'POST, GET, HEAD, OPTIONS']);
  });
});

describe('operations on an order below the path of its event', () => {
  it('do the same as without the event', async () => {
    const order = await held();
    for (const step of steps) expect([step[1], (await send(world.event, order, step)).statusCode]).toEqual([step[1], step[3]]);
    const second = await held();
    expect((await send(world.event, second, ['POST', '/cancel', undefined, 200])).json()).toMatchObject({ status: 'cancelled' });
  });

  it('return 404 below the path of another event, and change nothing', async () => {
    const order = await held();
    for (const step of [...steps, ['POST', '/cancel', undefined, 200] as const])
      expect([step[1], (await send(other, order, [...step])).statusCode]).toEqual([step[1], 404]);
    const unchanged = await send(world.event, order, ['GET', '', undefined, 200]);
    expect(unchanged.json()).toMatchObject({ status: 'held', extended: false, buyer: null });
  });
});
