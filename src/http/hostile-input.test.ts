import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import type { TSchema } from 'typebox';
import { describe, expect, it } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import { capabilities } from '../app.ts';
import { ordersContract } from '../orders/contract.ts';
import { anonymousBodyLimit, bodyLimitOf } from './json-body.ts';

const world = useWorld();
const asJson = { 'content-type': 'application/json' };

const routes = capabilities.flatMap(({ contract }) => Object.entries(contract));
/** The operations that accept a body from callers without an account. */
const openWrites = routes.filter(([, route]) => route.method !== 'GET' && bodyLimitOf(route) === anonymousBodyLimit);

/** Joins `head`, as many parts as fit into the size, and `tail`. */
function fill(size: number, head: string, part: (i: number) => string, tail: string): string {
  const parts: string[] = [];
  for (let left = size - head.length - tail.length; ; ) {
    const next = part(parts.length);
    left -= next.length + 1;
    if (left < 0) return head + parts.join(',') + tail;
    parts.push(next);
  }
}

const buyer = '"buyer":{"name":"Ana","email":"ana@test.test"}';
const hostileBodies = (size: number): Record<string, string> => ({
  'unknown fields': fill(size, '{', (i) => `"k${i}":1`, '}'),
  'a list of numbers for items': fill(size, '{"eventId":1,"items":[', () => '1', ']}'),
  'a list of empty items': fill(size, '{"eventId":1,"items":[', () => '{}', ']}'),
  'too many valid items': fill(size, `{"eventId":1,${buyer},"items":[`, () => '{"itemId":1,"quantity":1}', ']}'),
  'deep lists': `${'['.repeat(size / 2)}${']'.repeat(size / 2)}`,
  'deep objects': `${'{"a":'.repeat(size / 6 - 1)}1${'}'.repeat(size / 6 - 1)}`,
  'a long e-mail address': `{"eventId":1,"buyer":{"name":"Ana","email":"${'a.'.repeat(size / 2 - 50)}@b"}}`,
  'a long blank name': `{"eventId":1,"buyer":{"email":"ana@test.test","name":"${' '.repeat(size - 100)}"}}`,
  'escaped letters': fill(size, '{', (i) => `"\\u0061${i}":1`, '}'),
  'escaped surrogates': fill(size, '{"eventId":[', () => '"\\ud83d\\ude00"', ']}'),
  'names of prototypes': fill(size, '{"eventId":[', () => '{"constructor":1}', ']}'),
  'JSON without an end': fill(size, '[', () => '1', ''),
});

/** Node limits headers and URL together to 16 KB. */
const long = 15_000;
const hostileReads = (): Record<string, [path: string, headers: Record<string, string>]> => {
  const event = `/event/${world.event}`;
  return {
    'thousands of query parameters': [`/event?${Array.from({ length: 2_000 }, (_, i) => `a${i}=1`).join('&')}`, {}],
    'one query parameter many times': [`/event?${'term=a&'.repeat(long / 7)}`, {}],
    'a search for single letters': [`/event?term=${'a+b+c+d+e+f+g+h+i+j+k+l+'.repeat(4)}`, {}],
    'a long list of fields': [`${event}?fields=${'id,'.repeat(long / 3)}`, {}],
    'a long list of filters': [`${event}/attributes?filters=${'a,'.repeat(long / 2)}`, {}],
    'a cursor of deep JSON': [`/event?cursor=${btoa('['.repeat(370)).replaceAll('=', '')}`, {}],
    'a page size of 15,000 digits': [`/event?pageSize=${'1'.repeat(long)}`, {}],
    'a long path': [`/${'a/'.repeat(long / 2)}`, {}],
    'many languages': [event, { 'accept-language': 'pt;q=0.1,'.repeat(long / 9) }],
    'thousands of ETags': [event, { 'if-none-match': '"a",'.repeat(long / 4) }],
    'a huge token': [event, { authorization: `Bearer ${'a.'.repeat(long / 2)}` }],
    'a token whose header is deep JSON': [event, { authorization: `Bearer ${btoa('['.repeat(3_000)).replaceAll('=', '')}.a.a` }],
  };
};

/** The aim is 5 ms of CPU time. Reading an event takes about 2 ms, so the aim is less than 3 reads. Twice that leaves room for noise. */
const maxCost = 6;
const rounds = 10;

const control = () => world.call('GET', `/event/${world.event}`);

async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  for (let i = 0; i < rounds; i++) await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/**
 * The CPU time of `work`, divided by the CPU time of a control request. Garbage collection for other requests may disturb one measurement,
 * but hardly three. So the cost is measured up to three times, until it is as expected.
 */
async function costOf(work: () => Promise<unknown>, isExpected: (cost: number) => boolean): Promise<number> {
  // The first requests are slower, because they compile validators and code.
  for (let i = 0; i < 3; i++) await Promise.all([work(), control()]);
  for (let attempt = 1; ; attempt++) {
    const cost = (await cpuOf(work)) / (await cpuOf(control));
    if (attempt === 3 || isExpected(cost)) return cost;
  }
}

const lowCostOf = (work: () => Promise<unknown>) => costOf(work, (cost) => cost < maxCost);

const post = (path: string, body: string) => world.call('POST', path, { body, headers: asJson });

describe('the CPU time of a hostile request without an account', () => {
  it.each(Object.keys(hostileBodies(anonymousBodyLimit)))('POST /orders with %s costs no more than a few reads', async (name) => {
    for (const size of [8_000, anonymousBodyLimit]) {
      const body = hostileBodies(size)[name] ?? '';
      expect((await post('/orders', body)).statusCode).toBe(400);
      expect(await lowCostOf(() => post('/orders', body))).toBeLessThan(maxCost);
    }
  });

  it.each(['/auth/login', '/auth/refresh', '/orders/1/payment', '/orders/1/cancel', '/orders/1/refund?secret=x', '/no/such/address'])(
    'POST %s with a body of 16 KB costs no more than a few reads',
    async (path) => {
      const body = hostileBodies(anonymousBodyLimit)['unknown fields'] ?? '';
      expect(await lowCostOf(() => post(path, body))).toBeLessThan(maxCost);
    },
  );

  it('GET with hostile parameters and headers costs no more than a few reads', async () => {
    for (const [name, [path, headers]] of Object.entries(hostileReads())) {
      const cost = await lowCostOf(() => world.call('GET', path, { headers }));
      expect([name, cost < maxCost]).toEqual([name, true]);
    }
  });

  it('control: collecting all errors of a body of 1 MB costs more than a few reads', async () => {
    const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, verbose: true });
    formats.default(ajv, ['date-time', 'email']);
    const validate = ajv.compile(ordersContract.createOrder.body);
    const body: unknown = JSON.parse(hostileBodies(1_048_576)['a list of numbers for items'] ?? '');
    expect(
      await costOf(
        async () => validate(body),
        (cost) => cost > maxCost,
      ),
    ).toBeGreaterThan(maxCost);
  });
});

it('a leap second is refused like other times that do not exist', async () => {
  const from = (time: string) => world.call('GET', `/event/${world.event}/orders?from=${time}`, { as: 'owner' });
  expect((await from('2026-11-16T23:59:59Z')).statusCode).toBe(200);
  expect((await from('2026-11-16T23:59:60Z')).json()).toMatchObject({ status: 400, errors: [{ field: 'from' }] });
});

describe('limits on the cost of a request', () => {
  it.each(openWrites.map(([name, route]) => [name, route] as const))('%s returns 413 for more than 16 KB', async (_name, route) => {
    const path = route.path.replaceAll(/\{\w+\}/g, '1');
    const body = JSON.stringify({ a: 'x'.repeat(anonymousBodyLimit) });
    const answer = await world.call(route.method, `${path}?secret=x`, { body, headers: asJson });
    expect([answer.statusCode, answer.json().code]).toEqual([413, 'payload_too_large']);
  });

  it('a path that does not exist returns 413 for more than 16 KB', async () => {
    expect((await post('/no/such/address', JSON.stringify({ a: 'x'.repeat(anonymousBodyLimit) }))).statusCode).toBe(413);
  });

  it('PUT /event/{id}, which needs an account, accepts a body of more than 16 KB', async () => {
    const answer = await world.call('PUT', `/event/${world.event}`, { as: 'owner', body: { description: 'x'.repeat(anonymousBodyLimit) } });
    expect(answer.statusCode).toBe(200);
  });

  it('a small body gets at most 20 errors', async () => {
    const answer = await post(
      '/orders',
      fill(8_000, '{', (i) => (i < 400 ? `"k${i}":1` : `"k${i}":"${'x'.repeat(100)}"`), '}'),
    );
    expect(answer.json().errors).toHaveLength(20);
  });

  it.each([
    ['more than 8 KB', { eventId: 0, colour: 'x'.repeat(9_000), size: 'x' }],
    ['more than 500 values', { eventId: 0, items: Array.from({ length: 600 }, () => 0) }],
  ])('a body with %s gets one error', async (_what, body) => {
    const answer = await post('/orders', JSON.stringify(body));
    expect([answer.statusCode, answer.json().errors.length]).toEqual([400, 1]);
  });

  it('the number of items is checked before the items', async () => {
    const body = JSON.stringify({
      eventId: 1,
      items: Array.from({ length: 1_000 }, () => 'x'),
      buyer: { name: 'Ana', email: 'ana@test.test' },
    });
    expect((await post('/orders', body)).json().errors).toMatchObject([{ field: 'items', code: 'maxItems' }]);
  });

  it('a problem does not repeat long names of the request', async () => {
    const answer = await post('/orders', JSON.stringify({ ['x'.repeat(7_000)]: 1, eventId: { ['y'.repeat(500)]: 1 } }));
    expect(answer.statusCode).toBe(400);
    expect(answer.body).toContain(`"${'x'.repeat(60)}…"`);
    expect(answer.body.length).toBeLessThan(3_000);
  });

  it('every text and list that callers without an account may send has a maximum', () => {
    const unbounded = openWrites.flatMap(([name, { body }]) => (body ? withoutMaximum(body, name) : []));
    expect(unbounded).toEqual([]);
  });
});

interface Plain {
  type?: string | string[];
  enum?: unknown[];
  format?: string;
  maxLength?: number;
  maxItems?: number;
  items?: TSchema;
  properties?: Record<string, TSchema>;
}

/** Lists the strings and arrays without a maximum. The format date-time limits the length by itself. */
function withoutMaximum(schema: TSchema, at: string): string[] {
  const { type = [], enum: values, format, maxLength, maxItems, items, properties = {} } = schema as Plain;
  const types = [type].flat();
  return [
    ...(types.includes('string') && !values && format !== 'date-time' && maxLength === undefined ? [at] : []),
    ...(types.includes('array') && maxItems === undefined ? [at] : []),
    ...(items ? withoutMaximum(items, `${at}[]`) : []),
    ...Object.entries(properties).flatMap(([name, property]) => withoutMaximum(property, `${at}.${name}`)),
  ];
}
