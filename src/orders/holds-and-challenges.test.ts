import { type Challenge, solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { runBehindLock } from '../../test/behind-lock.ts';
import { useWorld } from '../../test/harness.ts';
import { testSecrets } from '../../test/secret-key.ts';
import { shopOf } from '../../test/shop.ts';
import { type Caller, minutesAfterNoon, noon } from '../../test/world.ts';
import { createApp } from '../app.ts';
import { networksAgainstOrders } from '../audit/selling.sql.ts';
import { systemAct } from '../kernel/act.ts';
import { type Connections, connect } from '../postgres/database.ts';
import { inTransaction } from '../postgres/transaction.ts';
import type { PlacedOrder } from './contract.ts';
import { expireOrders } from './expire-orders.ts';
import { forgetChallenges } from './forget-challenges.ts';

const world = useWorld();
const shop = shopOf(world);

/** A second process on the same database. */
let otherApp: FastifyInstance;
let otherConnections: Connections;
beforeAll(async () => {
  otherConnections = connect({ url: world.url, max: 10, secrets: testSecrets, onError: () => undefined });
  otherApp = await createApp(world.config, { db: otherConnections.db, clock: () => world.now });
});
afterAll(async () => {
  await otherApp.close();
  await otherConnections.close();
});
afterEach(() => {
  world.now = noon;
});

const buyer = { name: 'Ana Souza', email: 'ana@test.test' };
let networks = 0;
/** An address that no other test uses. */
const newAddress = () => `198.51.${Math.floor(++networks / 250)}.${(networks % 250) + 1}`;

interface Request {
  from?: string;
  as?: Caller;
  token?: string;
  app?: FastifyInstance;
  headers?: Record<string, string>;
}

function place(body: object, { from = '198.51.100.1', as, token, app = world.app, headers = {} }: Request = {}) {
  const bearer = token ?? (as && world.tokens[as]);
  const authorization = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
  return app.inject({
    method: 'POST',
    url: '/v1/orders',
    remoteAddress: from,
    headers: { ...authorization, ...headers },
    payload: { buyer, ...body },
  });
}

type Mode = 'auto' | 'always' | 'off';

interface Sale {
  eventId: number;
  itemId: number;
}

async function newEvent(settings: { challenge?: Mode; maximumPerOrder?: number } = {}): Promise<number> {
  const basics = { producerId: world.producer, category: 'music', title: 'Sale', timezone: 'America/Sao_Paulo' };
  const { id } = await shop.write('POST', '/event', { ...basics, ...settings });
  const session = { name: 'Night', start: '2026-06-01 20:00:00', finish: '2026-06-01 23:00:00' };
  await shop.write('POST', `/event/${id}/session`, session);
  await shop.write('POST', `/event/${id}/publish`, {});
  return id;
}

async function newSale(quantity: number, settings: Parameters<typeof newEvent>[0] = {}, price = 5000): Promise<Sale> {
  const eventId = await newEvent(settings);
  const values = { price, feeSale: 0, feeProducer: 0 };
  return { eventId, itemId: await shop.newItem({ item: { eventId, quantity }, values, available: quantity }) };
}

const orderOf = ({ eventId, itemId }: Sale, quantity: number, more: object = {}) => ({ eventId, items: [{ itemId, quantity }], ...more });

const held = async ({ itemId }: Sale): Promise<number> =>
  (await world.pool.query<{ held: number }>('select held from item where id = $1', [itemId])).rows[0]?.held ?? -1;

const challengeOf = (answer: LightMyRequestResponse): Challenge => {
  expect(answer.json()).toMatchObject({ status: 428, code: 'challenge_required' });
  return answer.json<{ challenge: Challenge }>().challenge;
};

async function solve(challenge: Challenge): Promise<string> {
  const solution = await solveChallenge({ challenge, deriveKey });
  return Buffer.from(JSON.stringify({ challenge, solution })).toString('base64');
}

/** Fills what the network may hold without a challenge, and returns the challenge that comes next. */
async function untilChallenged(sale: Sale, from: string, quantity = 10): Promise<Challenge> {
  for (let i = 0; i < 20; i++) {
    const answer = await place(orderOf(sale, quantity), { from });
    if (answer.statusCode !== 201) return challengeOf(answer);
  }
  throw new Error('No challenge came');
}

describe('maximumPerOrder', () => {
  it('POST /orders returns 422 with the number allowed when an order has more tickets than the event allows', async () => {
    const sale = await newSale(1000);
    const answer = await place(orderOf(sale, 21), { from: newAddress() });
    expect(answer.json()).toMatchObject({ status: 422, code: 'rule_violation', errors: [{ field: 'items', code: 'maximum' }] });
    expect(answer.json<{ detail: string }>().detail).toContain('at most 20 tickets');
    expect((await place(orderOf(sale, 20), { from: newAddress() })).statusCode).toBe(201);
    expect(await held(sale)).toBe(20);
  });

  it('POST /orders counts the tickets of all lines together', async () => {
    const sale = await newSale(1000, { maximumPerOrder: 5 });
    const second = await shop.newItem({ item: { eventId: sale.eventId, quantity: 100 } });
    const items = (quantity: number) => [
      { itemId: sale.itemId, quantity: 3 },
      { itemId: second, quantity },
    ];
    const from = newAddress();
    expect((await place({ eventId: sale.eventId, items: items(3) }, { from })).statusCode).toBe(422);
    expect((await place({ eventId: sale.eventId, items: items(2) }, { from })).statusCode).toBe(201);
  });

  it('POST /orders lets the box office sell 500 at once and no more', async () => {
    const eventId = world.event;
    const itemId = await shop.newItem({ item: { quantity: 2000 } });
    const period = { appCategoryId: 2, start: '2026-02-01 10:00:00', finish: '2026-06-01 20:00:00', available: 2000 };
    await shop.write('POST', `/items/${itemId}/sales-period`, period);
    const atBoxOffice = (quantity: number) =>
      place(orderOf({ eventId, itemId }, quantity, { appCategoryId: 2 }), { as: 'crew_sales_operator' });
    expect((await atBoxOffice(501)).json()).toMatchObject({ status: 422, errors: [{ field: 'items', code: 'maximum' }] });
    expect((await atBoxOffice(500)).statusCode).toBe(201);
  });

  it('POST, PUT and GET /event return the settings; PUT /event/{id} returns 400 for values out of range', async () => {
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

describe('an attack from one network on two processes', () => {
  const attack = async (sale: Sale, from: string, orders: number) =>
    Promise.all(Array.from({ length: orders }, (_, i) => place(orderOf(sale, 10), { from, app: i % 2 ? otherApp : world.app })));

  it('POST /orders never lets one network hold more than a fifth of an item without a challenge', async () => {
    const sale = await newSale(150);
    const answers = await attack(sale, newAddress(), 40);
    expect(answers.filter(({ statusCode }) => statusCode === 201)).toHaveLength(3);
    expect(answers.filter(({ statusCode }) => statusCode === 428)).toHaveLength(37);
    expect(await held(sale)).toBe(30);
  });

  it('POST /orders never lets one network hold more than 60 tickets of an event without a challenge', async () => {
    const sale = await newSale(30_000);
    const answers = await attack(sale, newAddress(), 40);
    expect(answers.filter(({ statusCode }) => statusCode === 201)).toHaveLength(6);
    expect(await held(sale)).toBe(60);
  });

  it('control: with challenge "off" the same attack holds everything', async () => {
    const sale = await newSale(150, { challenge: 'off' });
    await attack(sale, newAddress(), 40);
    expect(await held(sale)).toBe(150);
  });

  it('POST /orders counts the addresses of an IPv6 /64 as one network', async () => {
    const sale = await newSale(150);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => place(orderOf(sale, 10), { from: `2001:db8:1:2::${(i + 1).toString(16)}` })),
    );
    expect(answers.filter(({ statusCode }) => statusCode === 201)).toHaveLength(3);
  });

  it('POST /orders still asks for a challenge after the holds of the network expired, and no longer after 30 minutes more', async () => {
    const sale = await newSale(150);
    const from = newAddress();
    await attack(sale, from, 10);
    world.now = minutesAfterNoon(11);
    await inTransaction(world.db, {}, (tx) => expireOrders(tx, systemAct('test', world.now)));
    expect(await held(sale)).toBe(0);
    expect((await place(orderOf(sale, 10), { from })).statusCode).toBe(428);
    world.now = minutesAfterNoon(42);
    expect((await place(orderOf(sale, 10), { from })).statusCode).toBe(201);
  });

  it('the counts are those of the open holds after orders, payments, cancellations and expiry in any order', async () => {
    const sale = await newSale(3000);
    const addresses = Array.from({ length: 3 }, newAddress);
    for (let round = 0; round < 3; round++) {
      world.now = minutesAfterNoon(round * 6);
      const answers = await Promise.all(
        Array.from({ length: 24 }, (_, i) =>
          place(orderOf(sale, (i % 4) + 1), { from: addresses[i % 3] ?? '', app: i % 2 ? otherApp : world.app }),
        ),
      );
      const orders = answers.filter(({ statusCode }) => statusCode === 201).map((answer) => answer.json<PlacedOrder>());
      expect(orders.length).toBeGreaterThan(0);
      await Promise.all([
        ...orders.map((order, i) => (i % 3 === 0 ? shop.pay(order) : i % 3 === 1 ? shop.cancel(order) : null)),
        inTransaction(world.db, {}, (tx) => expireOrders(tx, systemAct('test', world.now))),
      ]);
      expect(await inTransaction(world.db, { readOnly: true }, networksAgainstOrders)).toEqual([]);
    }
  });

  it('POST /orders counts free tickets, which need no payment', async () => {
    const sale = await newSale(150, {}, 0);
    const answers = await attack(sale, newAddress(), 10);
    expect(answers.filter(({ statusCode }) => statusCode === 201)).toHaveLength(3);
  });

  it('the level of the challenge grows with what the network holds', async () => {
    const sale = await newSale(30_000, { maximumPerOrder: 200 });
    const from = newAddress();
    const levelOf = (challenge: Challenge) => challenge.parameters.data?.level;
    const levels = [];
    for (const quantity of [61, 120, 200]) levels.push(levelOf(challengeOf(await place(orderOf(sale, quantity), { from }))));
    expect(levels).toEqual([0, 1, 1]);
    expect((await place(orderOf(sale, 60), { from })).statusCode).toBe(201);
    expect(levelOf(challengeOf(await place(orderOf(sale, 200), { from })))).toBe(2);
  });
});

describe('who is not asked', () => {
  it('POST /orders never asks a crowd behind one address that pays', async () => {
    const sale = await newSale(400);
    const from = newAddress();
    for (let i = 0; i < 30; i++) {
      const orders = await Promise.all(
        Array.from({ length: 2 }, () => place(orderOf(sale, 4), { from, app: i % 2 ? otherApp : world.app })),
      );
      expect(orders.map(({ statusCode }) => statusCode)).toEqual([201, 201]);
      const paid = await Promise.all(orders.map((order) => shop.pay(order.json<PlacedOrder>())));
      expect(paid.map(({ statusCode }) => statusCode)).toEqual([201, 201]);
    }
    const { rows } = await world.pool.query('select held, lapsed from network_hold where event_id = $1', [sale.eventId]);
    expect(rows).toEqual([{ held: 0, lapsed: 0 }]);
  });

  it('POST /orders never asks crew members who sell at the event, or API tokens of people who work on it', async () => {
    const sale = await newSale(150, { challenge: 'always' });
    const body = { name: 'Shop', permissions: ['order.sell'] };
    const { token } = await shop.write<{ token: string }>('POST', '/auth/tokens', body);
    for (const request of [{ as: 'owner' }, { token }] as const) expect((await place(orderOf(sale, 10), request)).statusCode).toBe(201);
    for (const request of [{}, { as: 'stranger' }, { as: 'otherOwner' }] as const) {
      expect((await place(orderOf(sale, 10), request)).statusCode).toBe(428);
    }
  });

  it('POST /orders returns 409 sold_out without a challenge when the item is sold out', async () => {
    const sale = await newSale(5, { challenge: 'always' });
    expect((await place(orderOf(sale, 6), { from: newAddress() })).json()).toMatchObject({ status: 409, code: 'sold_out' });
  });

  it('network_hold and the network of an order are erased once they are not needed', async () => {
    const sale = await newSale(1000);
    const answer = await place(orderOf(sale, 2), { from: newAddress() });
    const { id } = answer.json<PlacedOrder>();
    const network = async () => (await world.pool.query('select network from ticket_order where id = $1', [id])).rows[0];
    expect(await network()).toEqual({ network: expect.any(Number) });
    await shop.cancel(answer.json());
    expect(await network()).toEqual({ network: null });
    const tidy = (at: Date) => inTransaction(world.db, {}, (tx) => forgetChallenges(tx, 'networkHolds', at, 1_000));
    const count = async () => (await world.pool.query('select lapsed from network_hold where event_id = $1', [sale.eventId])).rows;
    await tidy(minutesAfterNoon(29));
    expect(await count()).toEqual([{ lapsed: 2 }]);
    await tidy(minutesAfterNoon(31));
    expect(await count()).toEqual([]);
  });
});

describe('a solution', () => {
  it('POST /orders returns 201 with a solution, also under the Idempotency-Key of the 428', async () => {
    const sale = await newSale(150);
    const from = newAddress();
    await untilChallenged(sale, from);
    const headers = { 'idempotency-key': 'solved' };
    const challenge = challengeOf(await place(orderOf(sale, 10), { from, headers }));
    const solved = orderOf(sale, 10, { challenge: await solve(challenge) });
    const answer = await place(solved, { from, headers });
    expect(answer.statusCode).toBe(201);
    expect((await place(solved, { from, headers })).body).toBe(answer.body);
    expect(await held(sale)).toBe(40);
  });

  it('POST /orders accepts a solution once, also from two processes at the same time', async () => {
    const sale = await newSale(150);
    const other = { ...sale, itemId: await shop.newItem({ item: { eventId: sale.eventId, quantity: 150 } }) };
    const from = newAddress();
    await untilChallenged(sale, from);
    const challenge = await solve(await untilChallenged(other, from));
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        place(orderOf(i % 4 < 2 ? sale : other, 1, { challenge }), { from, app: i % 2 ? otherApp : world.app }),
      ),
    );
    expect(answers.filter(({ statusCode }) => statusCode === 201)).toHaveLength(1);
    expect(answers.filter(({ statusCode }) => statusCode === 428)).toHaveLength(11);
    const again = await place(orderOf(sale, 1, { challenge }), { from });
    expect(again.json()).toMatchObject({ status: 428, detail: expect.stringContaining('used before') });
  });

  it('POST /orders returns 428 when another transaction commits the same solution first', async () => {
    const sale = await newSale(150);
    const from = newAddress();
    const challenge = await untilChallenged(sale, from);
    const body = orderOf(sale, 1, { challenge: await solve(challenge) });
    const spend = `insert into spent_challenge values ('\\x${challenge.parameters.nonce}', '2026-03-02 12:05Z')`;
    const [answer] = await runBehindLock(world, spend, [() => place(body, { from })]);
    expect(answer?.json()).toMatchObject({ status: 428, detail: expect.stringContaining('used before') });
  });

  it('POST /orders does not use up a solution when the order is refused or needs none', async () => {
    const sale = await newSale(150);
    const from = newAddress();
    const challenge = await solve(await untilChallenged(sale, from));
    const refused = await place(orderOf(sale, 10, { challenge, items: [{ itemId: world.missing, quantity: 1 }] }), { from });
    expect(refused.statusCode).toBe(422);
    expect((await place(orderOf(sale, 10, { challenge }), { from })).statusCode).toBe(201);
  });

  it('POST /orders returns 428 with a new challenge when the solution is forged, expired, easier, or for another event or network', async () => {
    const sale = await newSale(1000, { maximumPerOrder: 200 });
    const second = await newSale(150, { challenge: 'always' });
    const from = newAddress();
    const challenge = await untilChallenged(sale, from);
    const { parameters } = challenge;
    const solved = await solve(challenge);
    const easier = { ...challenge, parameters: { ...parameters, keyPrefix: '0', cost: 1 } };
    const promoted = { ...challenge, parameters: { ...parameters, data: { ...parameters.data, level: 4 } } };
    const guess = Buffer.from(JSON.stringify({ challenge, solution: { counter: 0, derivedKey: '00' } })).toString('base64');
    const attempts: [string, object, Request][] = [
      ['is wrong', orderOf(sale, 10, { challenge: await solve(easier) }), { from }],
      ['is wrong', orderOf(sale, 10, { challenge: await solve(promoted) }), { from }],
      ['is wrong', orderOf(sale, 10, { challenge: guess }), { from }],
      ['malformed', orderOf(sale, 10, { challenge: 'bm90IGpzb24=' }), { from }],
      ['another event or network', orderOf(second, 10, { challenge: solved }), { from }],
      ['another event or network', orderOf(sale, 100, { challenge: solved }), { from: newAddress() }],
      ['easier challenge', orderOf(sale, 200, { challenge: solved }), { from }],
    ];
    for (const [why, body, request] of attempts) {
      const answer = await place(body, request);
      expect(answer.json()).toMatchObject({
        status: 428,
        detail: expect.stringContaining(why),
        challenge: { signature: expect.any(String) },
      });
    }
    world.now = minutesAfterNoon(5);
    expect((await place(orderOf(sale, 10, { challenge: solved }), { from })).json()).toMatchObject({
      status: 428,
      detail: expect.stringContaining('expired'),
    });
    expect(await held(sale)).toBe(60);
    world.now = minutesAfterNoon(4);
    expect((await place(orderOf(sale, 10, { challenge: solved }), { from })).statusCode).toBe(201);
  });
});

describe('sales channels', () => {
  const partner = 4;

  async function partnerItem(): Promise<Sale> {
    const itemId = await shop.newItem({ item: { quantity: 100 } });
    const span = { start: '2026-02-01 10:00:00', finish: '2026-06-01 20:00:00', available: 50 };
    for (const appCategoryId of [3, partner]) await shop.write('POST', `/items/${itemId}/sales-period`, { appCategoryId, ...span });
    return { eventId: world.event, itemId };
  }

  const tokenWith = async (body: object): Promise<string> =>
    (await shop.write<{ token: string }>('POST', '/auth/tokens', { name: 'Partner', permissions: ['order.sell'], ...body })).token;

  it('POST /orders returns 403 to callers who may not sell at the event on channels other than web shop and app', async () => {
    const sale = await partnerItem();
    const body = orderOf(sale, 1, { appCategoryId: partner });
    for (const as of [undefined, 'stranger', 'otherOwner', 'crew_entrance_operator'] as const) {
      expect((await place(body, as ? { as } : {})).json()).toMatchObject({
        status: 403,
        detail: expect.stringContaining('Channel 4 needs'),
      });
    }
    expect((await place(body, { as: 'crew_sales_operator' })).statusCode).toBe(201);
    for (const appCategoryId of [1, 3]) expect((await place(orderOf(sale, 1, { appCategoryId }))).statusCode).toBe(201);
  });

  it('POST /orders accepts an API token only on its channels', async () => {
    const sale = await partnerItem();
    const token = await tokenWith({ channels: [partner] });
    expect((await place(orderOf(sale, 1, { appCategoryId: partner }), { token })).statusCode).toBe(201);
    for (const appCategoryId of [undefined, 1, 3]) {
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

  it('POST /auth/tokens returns 400 for channels that cannot be', async () => {
    for (const channels of [[], [0], [4, 4], ['4']]) {
      const body = { name: 'Partner', permissions: ['order.sell'], channels };
      expect((await world.call('POST', '/auth/tokens', { as: 'owner', body })).statusCode).toBe(400);
    }
  });
});
