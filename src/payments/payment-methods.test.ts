import type { FastifyInstance, InjectOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import { shopOf } from '../../test/shop.ts';
import { stripeSettings } from '../../test/stripe/settings.ts';
import { testConfig } from '../../test/test-config.ts';
import type { Caller } from '../../test/world.ts';
import { createApp } from '../app.ts';
import type { PlacedOrder } from '../orders/order-schemas.ts';
import type { PaymentMethod } from './contract.ts';

const world = useWorld();
const shop = shopOf(world);
const header = 'tessera-test-money';

let seat = 0;
beforeAll(async () => {
  seat = await shop.newItem();
});

const payBy = (method: string, { id, secret }: PlacedOrder): InjectOptions => ({
  method: 'POST',
  url: `/v1/orders/${id}/payment?secret=${secret}`,
  body: { method },
  headers: { authorization: `Bearer ${world.tokens.crew_sales_manager}` },
});

describe('with PAYMENTS=cash', () => {
  let app: FastifyInstance;
  beforeAll(async () => {
    app = await createApp(testConfig({ PAYMENTS: 'cash' }), { db: world.db, clock: () => world.now });
  });
  afterAll(() => app.close());

  it.each(['card', 'pix'])('POST /orders/{id}/payment by %s returns 422 with the accepted methods, and charges nothing', async (method) => {
    const order = await shop.hold([{ itemId: seat, quantity: 1 }]);
    const refused = await app.inject(payBy(method, order));
    expect(refused.statusCode).toBe(422);
    expect(refused.json()).toMatchObject({
      code: 'payment_method_unavailable',
      detail: `This shop does not accept the payment method ${method}. Use one of: cash.`,
      methods: ['cash'],
      errors: [{ field: 'method' }],
    });
    const read = await app.inject(`/v1/orders/${order.id}?secret=${order.secret}`);
    expect(read.json()).toMatchObject({ status: 'held', payments: [], testMoney: false });
  });

  it('POST /orders/{id}/payment in cash returns 201 with testMoney: false and without the header Tessera-Test-Money', async () => {
    const paid = await app.inject(payBy('cash', await shop.hold([{ itemId: seat, quantity: 1 }])));
    expect(paid.statusCode).toBe(201);
    expect(paid.json()).toMatchObject({ status: 'approved', testMoney: false });
    expect(paid.headers[header]).toBeUndefined();
  });

  it('the operations of the sandbox return 404, even to an admin', async () => {
    const headers = { authorization: `Bearer ${world.tokens.admin}` };
    expect((await app.inject({ url: '/v1/payments/sandbox', headers })).statusCode).toBe(404);
    const notice = { id: 'n-1', reference: 'r-1', event: 'paid', amount: 1, at: world.now.toISOString() };
    expect((await app.inject({ method: 'POST', url: '/v1/payments/sandbox/notices', body: notice })).statusCode).toBe(404);
    expect((await world.call('GET', '/payments/sandbox', { as: 'admin' })).statusCode).toBe(200);
  });
});

describe('with the sandbox on', () => {
  it('every order has testMoney: true', async () => {
    const placed = (await shop.place([{ itemId: seat, quantity: 1 }])).json<PlacedOrder>();
    const answers = [
      await world.call('GET', `/orders/${placed.id}?secret=${placed.secret}`),
      await world.call('POST', `/orders/${placed.id}/extend?secret=${placed.secret}`),
      await shop.pay(placed),
      await shop.refund(placed),
      await shop.cancel(await shop.hold([{ itemId: seat, quantity: 1 }])),
    ];
    const listed = await world.call('GET', `/event/${world.event}/orders`, { as: 'crew_sales_manager' });
    const orders = [placed, ...answers.map((answer) => answer.json<object>()), ...listed.json<{ data: object[] }>().data];
    for (const order of orders) expect(order).toMatchObject({ testMoney: true });
  });

  it.each([
    [201, () => shop.place([{ itemId: seat, quantity: 1 }])],
    [400, () => world.call('POST', '/orders', { body: {} })],
    [401, () => world.call('GET', `/event/${world.event}/orders`)],
    [404, () => world.call('GET', '/orders/999999999?secret=x')],
    [405, () => world.call('PUT', '/orders', { body: {} })],
    [415, () => world.call('POST', '/orders', { body: 'not JSON' })],
  ])('a %i response of the shop has the header Tessera-Test-Money: true', async (status, send) => {
    const answer = await send();
    expect([answer.statusCode, answer.headers[header]]).toEqual([status, 'true']);
  });

  it('a 429 response of the shop has the header Tessera-Test-Money: true, and responses of other groups do not', async () => {
    const app = await createApp(testConfig({ RATE_LIMIT: '1' }), { db: world.db, clock: () => world.now });
    const other = await app.inject({ url: '/v1/event/1', remoteAddress: '10.0.0.1' });
    const limited = await app.inject({ url: '/v1/orders/1', remoteAddress: '10.0.0.1' });
    await app.close();
    expect([limited.statusCode, limited.headers[header]]).toEqual([429, 'true']);
    expect(other.headers[header]).toBeUndefined();
  });
});

describe('GET /payment-methods', () => {
  let stripe: FastifyInstance;
  beforeAll(async () => {
    const config = testConfig({ ...stripeSettings, STRIPE_METHODS: 'card,pix,boleto' });
    stripe = await createApp(config, { db: world.db, clock: () => world.now });
  });
  afterAll(() => stripe.close());

  const ask = (eventId: number | string, as?: Caller, app = world.app) =>
    world.call('GET', `/payment-methods?eventId=${eventId}`, { app, ...(as && { as }) });
  const methodsFor = async (...args: Parameters<typeof ask>) =>
    (await ask(...args)).json<{ data: PaymentMethod[] }>().data.map(({ method }) => method);

  it('returns what a page needs for each method, in the order of PAYMENTS', async () => {
    const answer = await ask(world.event, undefined, stripe);
    expect(answer.statusCode).toBe(200);
    const component = {
      script: expect.stringMatching(/^https:\/\/js\.stripe\.com\/[a-z]+\/stripe\.js$/),
      publishableKey: 'pk_test_tessera',
    };
    expect(answer.json()).toEqual({
      data: [
        { method: 'card', provider: 'stripe', currencies: expect.arrayContaining(['BRL', 'USD']), action: 'client', component, needs: [] },
        { method: 'pix', provider: 'stripe', currencies: ['BRL'], action: 'display', component: null, needs: [] },
        {
          method: 'boleto',
          provider: 'stripe',
          currencies: ['BRL'],
          action: 'redirect',
          component: null,
          needs: ['document', 'address'],
        },
      ],
    });
    expect((await ask(world.event)).json()).toEqual({
      data: [
        { method: 'card', provider: 'sandbox', currencies: null, action: 'none', component: null, needs: [] },
        { method: 'pix', provider: 'sandbox', currencies: null, action: 'display', component: null, needs: [] },
      ],
    });
  });

  it('lists cash only for callers who may sell at the event', async () => {
    for (const caller of ['owner', 'crew_sales_operator'] as const) expect(await methodsFor(world.event, caller)).toContain('cash');
    for (const caller of ['crew_entrance_operator', 'otherOwner', 'stranger'] as const)
      expect(await methodsFor(world.event, caller)).toEqual(['card', 'pix']);
  });

  it('lists only methods that accept the currency of the event, and returns 404 for a draft of somebody else', async () => {
    const owner = { email: world.emails.owner };
    const producer = await world.call('POST', '/producers', { as: 'admin', body: { name: 'Abroad', currency: 'USD', owner } });
    const body = { producerId: producer.json<{ id: number }>().id, category: 'music', title: 'Abroad', timezone: 'UTC' };
    const { id } = (await world.call('POST', '/event', { as: 'owner', body })).json<{ id: number }>();
    expect(await methodsFor(id, 'owner', stripe)).toEqual(['card', 'cash']);
    expect((await ask(id, undefined, stripe)).statusCode).toBe(404);
    expect((await ask(world.missing)).statusCode).toBe(404);
  });

  it('returns 400 without eventId', async () => {
    expect((await world.call('GET', '/payment-methods')).json()).toMatchObject({
      status: 400,
      errors: [{ in: 'query', field: 'eventId' }],
    });
  });
});
