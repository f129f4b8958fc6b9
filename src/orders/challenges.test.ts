import { type Challenge, solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { runBehindLock } from '../../test/behind-lock.ts';
import { useWorld } from '../../test/harness.ts';
import { shopOf } from '../../test/shop.ts';
import { type Caller, minutesAfterNoon, noon } from '../../test/world.ts';
import { networksAgainstOrders } from '../audit/selling.sql.ts';
import { systemAct } from '../kernel/act.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { deleteOldChallenges } from './challenge.ts';
import { expireOrders } from './expire-orders.ts';
import type { PlacedOrder } from './order-schemas.ts';

const world = useWorld();
const shop = shopOf(world);

/** Simulates a second process on the same database. */
let otherApp: FastifyInstance;
beforeAll(async () => {
  otherApp = await world.newApp();
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

/** Places orders until the network needs a challenge, and returns that challenge. */
async function untilChallenged(sale: Sale, from: string, quantity = 10): Promise<Challenge> {
  for (let i = 0; i < 20; i++) {
    const answer = await place(orderOf(sale, quantity), { from });
    if (answer.statusCode !== 201) return challengeOf(answer);
  }
  throw new Error('No order needed a challenge');
}

describe('many orders from one network on two processes', () => {
  const placeMany = async (sale: Sale, from: string, orders: number) =>
    Promise.all(Array.from({ length: orders }, (_, i) => place(orderOf(sale, 10), { from, app: i % 2 ? otherApp : world.app })));

  it('POST /orders never lets one network hold more than a fifth of an item without a challenge', async () => {
    const sale = await newSale(150);
    const answers = await placeMany(sale, newAddress(), 40);
    expect(answers.filter(({ statusCode }) => statusCode === 201)).toHaveLength(3);
    expect(answers.filter(({ statusCode }) => statusCode === 428)).toHaveLength(37);
    expect(await held(sale)).toBe(30);
  });

  it('POST /orders never lets one network hold more than 60 tickets of an event without a challenge', async () => {
    const sale = await newSale(30_000);
    const answers = await placeMany(sale, newAddress(), 40);
    expect(answers.filter(({ statusCode }) => statusCode === 201)).toHaveLength(6);
    expect(await held(sale)).toBe(60);
  });

  it('control: with challenge "off" the same orders hold all tickets', async () => {
    const sale = await newSale(150, { challenge: 'off' });
    await placeMany(sale, newAddress(), 40);
    expect(await held(sale)).toBe(150);
  });

  it('POST /orders counts the addresses of an IPv6 /64 as one network', async () => {
    const sale = await newSale(150);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => place(orderOf(sale, 10), { from: `2001:db8:1:2::${(i + 1).toString(16)}` })),
    );
    expect(answers.filter(({ statusCode }) => statusCode === 201)).toHaveLength(3);
  });

  it('POST /orders returns 428 after the holds of the network expired, and 201 after 30 more minutes', async () => {
    const sale = await newSale(150);
    const from = newAddress();
    await placeMany(sale, from, 10);
    world.now = minutesAfterNoon(11);
    await expireOrders(world.db, systemAct('test', world.now));
    expect(await held(sale)).toBe(0);
    expect((await place(orderOf(sale, 10), { from })).statusCode).toBe(428);
    world.now = minutesAfterNoon(42);
    expect((await place(orderOf(sale, 10), { from })).statusCode).toBe(201);
  });

  it('the count of a network equals its open holds after orders, payments, cancellations and expiry in any order', async () => {
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
        expireOrders(world.db, systemAct('test', world.now)),
      ]);
      expect(await inTransaction(world.db, { readOnly: true }, networksAgainstOrders)).toEqual([]);
    }
  });

  it('POST /orders counts free tickets like unpaid tickets', async () => {
    const sale = await newSale(150, {}, 0);
    const answers = await placeMany(sale, newAddress(), 10);
    expect(answers.filter(({ statusCode }) => statusCode === 201)).toHaveLength(3);
  });

  it('the level of the challenge grows with the tickets that the network holds', async () => {
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

describe('orders that need no challenge', () => {
  it('POST /orders returns 201 to many buyers behind one address if they pay', async () => {
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

  it('POST /orders returns 201 to crew members who sell at the event and to API tokens of its crew', async () => {
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

  it('the network of an order is erased when the hold ends, and the count of the network 30 minutes later', async () => {
    const sale = await newSale(1000);
    const answer = await place(orderOf(sale, 2), { from: newAddress() });
    const { id } = answer.json<PlacedOrder>();
    const network = async () => (await world.pool.query('select network from ticket_order where id = $1', [id])).rows[0];
    expect(await network()).toEqual({ network: expect.any(Number) });
    await shop.cancel(answer.json());
    expect(await network()).toEqual({ network: null });
    const deleteOld = (at: Date) => inTransaction(world.db, {}, (tx) => deleteOldChallenges(tx, 'networkHolds', at, 1_000));
    const count = async () => (await world.pool.query('select lapsed from network_hold where event_id = $1', [sale.eventId])).rows;
    await deleteOld(minutesAfterNoon(29));
    expect(await count()).toEqual([{ lapsed: 2 }]);
    await deleteOld(minutesAfterNoon(31));
    expect(await count()).toEqual([]);
  });
});

describe('the solution of a challenge', () => {
  it('POST /orders returns 201 with a solution, even with the Idempotency-Key of the request that returned 428', async () => {
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

  it('POST /orders accepts a solution once, even in concurrent requests to two processes', async () => {
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
    const spend = `insert into spent_challenge values (${sale.eventId}, '\\x${challenge.parameters.nonce}', '2026-03-02 12:05Z')`;
    const [answer] = await runBehindLock(world, spend, [() => place(body, { from })]);
    expect(answer?.json()).toMatchObject({ status: 428, detail: expect.stringContaining('used before') });
  });

  it('POST /orders does not use up a solution when the order is refused or needs no challenge', async () => {
    const sale = await newSale(150);
    const from = newAddress();
    const challenge = await solve(await untilChallenged(sale, from));
    const refused = await place(orderOf(sale, 10, { challenge, items: [{ itemId: world.missing, quantity: 1 }] }), { from });
    expect(refused.statusCode).toBe(422);
    expect((await place(orderOf(sale, 10, { challenge }), { from })).statusCode).toBe(201);
  });

  it('POST /orders returns 428 with a new challenge when the solution is forged, expired, too easy, or for another event or network', async () => {
    const sale = await newSale(1000, { maximumPerOrder: 200 });
    const second = await newSale(150, { challenge: 'always' });
    const from = newAddress();
    const challenge = await untilChallenged(sale, from);
    const { parameters } = challenge;
    const solved = await solve(challenge);
    const easier = { ...challenge, parameters: { ...parameters, keyPrefix: '0', cost: 1 } };
    const raisedLevel = { ...challenge, parameters: { ...parameters, data: { ...parameters.data, level: 4 } } };
    const guess = Buffer.from(JSON.stringify({ challenge, solution: { counter: 0, derivedKey: '00' } })).toString('base64');
    const attempts: [string, object, Request][] = [
      ['is wrong', orderOf(sale, 10, { challenge: await solve(easier) }), { from }],
      ['is wrong', orderOf(sale, 10, { challenge: await solve(raisedLevel) }), { from }],
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
