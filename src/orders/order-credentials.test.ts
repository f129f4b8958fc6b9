import { beforeAll, describe, expect, it } from 'vitest';
import { rows } from '../../test/access-rows.ts';
import { useWorld } from '../../test/harness.ts';
import { shopOf } from '../../test/shop.ts';
import { capabilities } from '../app.ts';
import type { Route } from '../kernel/route.ts';
import type { Order, PlacedOrder } from './order-schemas.ts';

const world = useWorld({ PUBLIC_URL: 'https://shop.example' });
const shop = shopOf(world);
const operations = capabilities.flatMap(({ contract }) => Object.entries<Route>(contract));
/** The operations that take the credential of an order. The row of `refundOrder` is for the crew, so it has a test of its own. */
const ofOrders = operations.filter(([name, { orderAccess }]) => orderAccess && name !== 'refundOrder');

beforeAll(async () => {
  await shop.write('PUT', `/items/${world.item}`, { quantity: 10_000 });
  await shop.write('PUT', `/items/${world.item}/sales-period`, { appCategoryId: 1, available: 10_000 });
});

const hold = () => shop.hold([{ itemId: world.item, quantity: 1 }]);
const cookieOf = ({ id, secret }: Pick<PlacedOrder, 'id' | 'secret'>) => `__Host-order-${id}=${secret}`;
const fromShop = { 'sec-fetch-site': 'same-origin' };

/** Builds a successful request of the operation. Its path is without the secret. */
async function requestOf(name: string) {
  const { path = '', body } = (await rows[name]?.({ world, caller: 'anonymous', target: 'own', id: world.event })) ?? {};
  const [, secret = ''] = /[?&]secret=([\w-]+)/.exec(path) ?? [];
  const orderId = Number(/orderId=(\d+)/.exec(path)?.[1] ?? /\/orders\/(\d+)/.exec(path)?.[1]);
  return { path: path.replace(/[?&]secret=[\w-]+/, ''), body, secret, orderId };
}

async function statusOf(route: Route, path: string, body: unknown, headers: Record<string, string> = {}): Promise<number> {
  return (await world.call(route.method, path, { ...(body !== undefined && { body }), headers })).statusCode;
}

describe('the operations of an order', () => {
  it('are exactly those with the deprecated query parameter `secret`', () => {
    const withQuery = operations.filter(([, { query }]) => query?.properties.secret !== undefined);
    expect(withQuery.map(([name]) => name)).toEqual(operations.filter(([, { orderAccess }]) => orderAccess).map(([name]) => name));
    for (const [, { query }] of withQuery) expect(query?.properties.secret).toMatchObject({ deprecated: true });
  });

  /** The ways in which a request can carry the secret of an order. */
  const ways: Record<string, (secret: string, id: number) => { query?: string; headers?: Record<string, string> }> = {
    'the scheme Order': (secret) => ({ headers: { authorization: `Order ${secret}` } }),
    'the header Order-Secret': (secret) => ({ headers: { 'order-secret': secret } }),
    'the query': (secret) => ({ query: `secret=${secret}` }),
    'a cookie': (secret, id) => ({ headers: { cookie: `other=1; ${cookieOf({ id, secret })}`, ...fromShop } }),
  };

  it.each(ofOrders)('%s accepts the secret in each way, and returns 404 for a wrong one', async (name, route) => {
    for (const sendBy of Object.values(ways)) {
      const { path, body, secret, orderId } = await requestOf(name);
      const status = async (sent: string) => {
        const { query, headers } = sendBy(sent, orderId);
        return statusOf(route, query ? `${path}${path.includes('?') ? '&' : '?'}${query}` : path, body, headers);
      };
      for (const wrong of ['wrong', `${secret}A`, 'l.AAAA']) expect(await status(wrong)).toBe(404);
      expect(await status(secret)).toBe(route.answer.status);
    }
    const { path, body } = await requestOf(name);
    expect(await statusOf(route, path, body)).toBe(404);
  });

  it('refundOrder lets a buyer withdraw with each of them', async () => {
    for (const way of ['authorization', 'order-secret', 'cookie']) {
      const order = await shop.buy([{ itemId: world.item, quantity: 1 }]);
      const value = { authorization: `Order ${order.secret}`, 'order-secret': order.secret, cookie: cookieOf(order) }[way] ?? '';
      const answer = await world.call('POST', `/orders/${order.id}/refund`, { headers: { [way]: value, ...fromShop } });
      expect(answer.json<Order>().status).toBe('refunded');
    }
  });

  it('accept an access token and a secret in the same request', async () => {
    const { id, secret } = await hold();
    const pay = (headers: Record<string, string>) =>
      world.call('POST', `/orders/${id}/payment`, { as: 'crew_sales_operator', body: { method: 'cash' }, headers });
    expect((await pay({ authorization: `Order ${secret}` })).statusCode).toBe(403);
    expect((await pay({ 'order-secret': secret })).statusCode).toBe(201);
    const stranger = await world.call('GET', `/orders/${id}`, { as: 'stranger', headers: { 'order-secret': secret } });
    expect(stranger.statusCode).toBe(200);
  });

  it('return 401 for a malformed Authorization header, and other operations do not accept the scheme Order', async () => {
    const { id, secret } = await hold();
    for (const authorization of ['Order', 'Order ', `Order ${secret} x`, `Orders ${secret}`, 'Basic YTpi']) {
      expect((await world.call('GET', `/orders/${id}`, { headers: { authorization } })).statusCode).toBe(401);
    }
    const headers = { authorization: `Order ${secret}` };
    expect((await world.call('GET', `/event/${world.event}`, { headers })).statusCode).toBe(401);
    expect((await world.call('GET', `/event/${world.event}/orders`, { headers })).statusCode).toBe(401);
  });

  it('return a stored response only to a caller with the same credential', async () => {
    const { id, secret } = await hold();
    const extend = (headers: Record<string, string>) =>
      world.call('POST', `/orders/${id}/extend`, { headers: { 'idempotency-key': `extend-${id}`, ...headers } });
    expect((await extend({ authorization: `Order ${secret}` })).statusCode).toBe(200);
    const again = await extend({ authorization: `Order ${secret}` });
    expect([again.statusCode, again.headers['idempotency-replayed']]).toEqual([200, 'true']);
    for (const headers of [{}, { authorization: 'Order wrong' }, { cookie: '__Host-order=1', ...fromShop }]) {
      const answer = await extend(headers);
      expect([answer.statusCode, answer.json<{ code: string }>().code]).toEqual([422, 'idempotency_key_reused']);
    }
  });
});

describe('POST /orders/{id}/session', () => {
  it('sets a cookie that scripts, other hosts and unencrypted pages cannot read', async () => {
    const { id, secret } = await hold();
    const answer = await world.call('POST', `/orders/${id}/session`, { headers: { authorization: `Order ${secret}` } });
    expect(answer.statusCode).toBe(204);
    expect(answer.headers['set-cookie']).toBe(`__Host-order-${id}=${secret}; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure`);
    const closed = await world.call('DELETE', `/orders/${id}/session`);
    expect(closed.headers['set-cookie']).toBe(`__Host-order-${id}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure`);
  });

  it('returns 404 and sets no cookie for a wrong secret, and for the crew without a secret', async () => {
    const { id } = await hold();
    const path = `/orders/${id}/session`;
    for (const answer of [
      await world.call('POST', path, { headers: { authorization: 'Order wrong' } }),
      await world.call('POST', path, { as: 'owner' }),
      await world.call('POST', `/orders/${world.missing}/session`, { headers: { authorization: 'Order wrong' } }),
    ]) {
      expect([answer.statusCode, answer.headers['set-cookie']]).toEqual([404, undefined]);
    }
  });
});

describe('the cookie of an order', () => {
  const origin = 'https://shop.example';
  /** Headers that browsers send, whether the cookie may be used for reads, and whether it may be used for writes. */
  const requests: [Record<string, string>, boolean, boolean][] = [
    [{ 'sec-fetch-site': 'same-origin', origin }, true, true],
    [{ 'sec-fetch-site': 'none' }, true, false],
    [{ 'sec-fetch-site': 'same-site', origin: 'https://evil.shop.example' }, false, false],
    [{ 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }, false, false],
    [{ 'sec-fetch-site': 'cross-site', origin }, false, false],
    // Browsers without Sec-Fetch-Site.
    [{ origin }, true, true],
    [{ origin: 'https://evil.example' }, true, false],
    [{ origin: 'null' }, true, false],
    [{}, true, false],
  ];

  it.each(requests)('with the headers %o is used for reads: %s, for writes: %s', async (headers, forReads, forWrites) => {
    const order = await hold();
    const cookie = { cookie: cookieOf(order), ...headers };
    const read = await world.call('GET', `/orders/${order.id}`, { headers: cookie });
    expect(read.statusCode).toBe(forReads ? 200 : 404);
    const write = await world.call('POST', `/orders/${order.id}/cancel`, { headers: cookie });
    expect(write.statusCode).toBe(forWrites ? 200 : 404);
    // Control: with the secret in a header, the same request is accepted from any page.
    const control = await world.call('POST', `/orders/${order.id}/cancel`, {
      headers: { ...headers, authorization: `Order ${order.secret}` },
    });
    expect(control.statusCode).toBe(forWrites ? 409 : 200);
  });

  it('opens no other order, and needs the prefix __Host- on HTTPS', async () => {
    const [mine, other] = [await hold(), await hold()];
    for (const cookie of [cookieOf(mine), cookieOf({ id: other.id, secret: mine.secret }), `order-${other.id}=${other.secret}`]) {
      expect((await world.call('GET', `/orders/${other.id}`, { headers: { cookie, ...fromShop } })).statusCode).toBe(404);
    }
  });
});
