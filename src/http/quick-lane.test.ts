import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testConfig, useWorld } from '../../test/harness.ts';
import { shopOf } from '../../test/shop.ts';
import { createApp } from '../app.ts';

const world = useWorld();
const shop = shopOf(world);
let itemId = 0;
let port = 0;
const served: string[] = [];

beforeAll(async () => {
  itemId = await shop.newItem({ item: { quantity: 20 } });
  world.app.onQuickServed.push(({ operation, status }) => served.push(`${operation} ${status}`));
  await world.app.listen({ port: 0, host: '127.0.0.1' });
  port = (world.app.server.address() as AddressInfo).port;
});

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: { code?: string; requestId?: string; [name: string]: unknown };
}

function post(body: string | Buffer, headers: Record<string, string> = {}, at = port): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)), ...headers };
    const sent = httpRequest({ port: at, host: '127.0.0.1', method: 'POST', path: '/v1/orders', headers: length }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: JSON.parse(text) }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** An origin that nothing is allowed to: the same request, and yet not a plain one. */
const longWay = { origin: 'https://elsewhere.example' };
const order = (more: object = {}) =>
  JSON.stringify({ eventId: world.event, items: [{ itemId, quantity: 1 }], buyer: { name: 'Ana Souza', email: 'ana@test.test' }, ...more });

/** What does not differ from one request to the next. Fastify hangs up on who sends what it cannot read; there is no need to. */
const shape = ({ status, headers, body }: Answer) => ({
  status,
  headers: Object.keys(headers)
    .filter((name) => !['connection', 'keep-alive'].includes(name))
    .toSorted(),
  type: headers['content-type'],
  cache: headers['cache-control'],
  body: Object.keys(body).toSorted(),
  code: body.code,
  detail: body.detail,
  errors: body.errors,
});

describe('an order on the quick lane', () => {
  it('201 as on the long way, and counted', async () => {
    const quick = await post(order());
    expect(quick.status).toBe(201);
    expect(served).toEqual(['createOrder 201']);
    expect(shape(quick)).toEqual(shape(await post(order(), longWay)));
    expect(served).toHaveLength(1);
    expect(quick.headers['x-request-id']).toMatch(/^[\w-]{36}$/);
  });

  it('201 twice with one key: the second time nothing is done, whichever way it comes', async () => {
    const key = { 'idempotency-key': 'one-order' };
    const first = await post(order(), key);
    const [again, around] = [await post(order(), key), await post(order(), { ...key, ...longWay })];
    expect([first.headers['idempotency-replayed'], again.headers['idempotency-replayed']]).toEqual([undefined, 'true']);
    expect([again.body, around.body]).toEqual([first.body, first.body]);
  });

  const bad: [string, () => string | Buffer, Record<string, string>, number][] = [
    ['what is not JSON', () => '{"eventId":', {}, 400],
    ['what is not UTF-8', () => Buffer.from([0x22, 0xff, 0x22]), {}, 400],
    ['a field that is none', () => order({ colour: 'red' }), {}, 400],
    ['a missing field', () => '{}', {}, 400],
    ['NUL in a text', () => order({ buyer: { name: 'A\u0000', email: 'ana@test.test' } }), {}, 400],
    ['half a character', () => order().replace('Ana', '\\ud800'), {}, 400],
    ['a prototype', () => '{"__proto__": {"admin": true}}', {}, 400],
    ['a prototype in disguise', () => '{"\\u005f_proto__": {"admin": true}}', {}, 400],
    ['a key that is none', () => order(), { 'idempotency-key': 'not a key' }, 400],
    ['an unknown item', () => order({ items: [{ itemId: 999_999, quantity: 1 }] }), {}, 422],
    ['more than there are', () => order({ items: [{ itemId, quantity: 900 }] }), {}, 409],
  ];
  it.each(bad)('%s: the same problem as on the long way', async (_name, body, headers, status) => {
    const [quick, long] = [await post(body(), headers), await post(body(), { ...headers, ...longWay })];
    expect(quick.status).toBe(status);
    expect(shape(quick)).toEqual(shape(long));
    expect(quick.body.requestId).toBe(quick.headers['x-request-id']);
  });

  it('422: the key of another request', async () => {
    const key = { 'idempotency-key': 'taken' };
    await post(order(), key);
    expect((await post(order({ appCategoryId: 1 }), key)).body).toMatchObject({ status: 422, code: 'idempotency_key_reused' });
  });
});

describe('a limit of requests', () => {
  let limited: Awaited<ReturnType<typeof createApp>>;
  beforeAll(async () => {
    limited = await createApp(testConfig({ RATE_LIMIT: '4' }), { db: world.db, clock: () => world.now });
    await limited.listen({ port: 0, host: '127.0.0.1' });
  });
  afterAll(() => limited.close());

  it('429 with Retry-After: both ways count together', async () => {
    const at = (limited.server.address() as AddressInfo).port;
    const answers = [];
    for (const headers of [{}, longWay, {}, longWay]) answers.push((await post('{}', headers, at)).status);
    expect(answers).toEqual([400, 400, 400, 400]);
    const refused = await post('{}', {}, at);
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  });
});
