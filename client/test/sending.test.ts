import { afterEach, describe, expect, it, vi } from 'vitest';
import { eventually } from '../../test/eventually.ts';
import { NoAnswer, Problem, UnexpectedAnswer } from '../src/index.ts';
import { hangUp, json, noReply, problem, useScriptedServer } from './scripted-server.ts';

const server = useScriptedServer();
const item = { id: 1, name: 'Balcony' };
const page = { data: [], nextCursor: null };
const busy = problem(503, 'overloaded', { 'retry-after': '0' });
const newItem = { eventId: 1, name: 'Balcony' };
const idempotencyKeys = () => server.requests.map(({ headers }) => headers['idempotency-key']);

afterEach(() => {
  vi.useRealTimers();
});

describe('retries', () => {
  it('a write is retried with the same idempotency key after 503 and after a lost connection', async () => {
    server.replyWith(busy, hangUp, json(201, item));
    expect(await server.client().items.create(newItem)).toEqual(item);
    expect(server.requests.map(({ body }) => body)).toEqual(Array(3).fill(JSON.stringify(newItem)));
    expect(new Set(idempotencyKeys()).size).toBe(1);
    expect(idempotencyKeys()[0]).toMatch(/^[0-9a-f]{32}$/);
  });

  it('two writes have different idempotency keys, and a read has none', async () => {
    server.replyWith(json(200, item));
    const client = server.client();
    await Promise.all([client.items.create(newItem), client.items.create(newItem), client.items.get({ id: 1 })]);
    const sent = idempotencyKeys().filter((key) => key !== undefined);
    expect(new Set(sent).size).toBe(2);
    expect(sent).toHaveLength(2);
  });

  it.each([
    ['a busy service', busy],
    ['too many requests', problem(429, 'rate_limited', { 'retry-after': new Date(0).toUTCString() })],
    ['a proxy without a service behind it', json(502, 'Bad gateway')],
    ['a lost connection', hangUp],
  ])('stop after three attempts that fail with %s', async (_what, reply) => {
    server.replyWith(reply);
    await expect(server.client().items.list()).rejects.toThrow(Error);
    expect(server.requests).toHaveLength(3);
  });

  it('are limited by the option retries of the client or of the call', async () => {
    server.replyWith(busy);
    const client = server.client({ retries: 4 });
    await expect(client.items.list()).rejects.toMatchObject({ code: 'overloaded' });
    await expect(client.items.list({}, { retries: 0 })).rejects.toMatchObject({ code: 'overloaded' });
    expect(server.requests).toHaveLength(5 + 1);
  });

  it.each([
    [400, 'invalid_input'],
    [403, 'forbidden'],
    [404, 'not_found'],
    [409, 'sold_out'],
    [422, 'rule_violation'],
    [500, 'internal_error'],
  ])('are not made after %i, because a retry would get the same response', async (status, code) => {
    server.replyWith(problem(status, code));
    await expect(server.client().items.list()).rejects.toMatchObject({ status, code });
    expect(server.requests).toHaveLength(1);
  });

  it('are not made when Retry-After is longer than a minute', async () => {
    server.replyWith(problem(429, 'rate_limited', { 'retry-after': '61' }));
    const refused: unknown = await server
      .client()
      .items.list()
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(Problem);
    expect((refused as Problem).headers.get('retry-after')).toBe('61');
    expect(server.requests).toHaveLength(1);
  });

  it('wait for Retry-After plus a short random time', async () => {
    const waits: number[] = [];
    server.replyWith(problem(503, 'overloaded', { 'retry-after': '1' }), json(200, page));
    await server.client({ hooks: { onRetry: ({ waitMs }) => void waits.push(waitMs) } }).items.list();
    expect(waits).toHaveLength(1);
    expect(waits[0]).toBeGreaterThanOrEqual(1000);
    expect(waits[0]).toBeLessThan(1250);
  });

  it('use exponential back-off with jitter when there is no Retry-After', async () => {
    const waits: number[] = [];
    server.replyWith(hangUp);
    const client = server.client({ retries: 2, hooks: { onRetry: ({ waitMs }) => void waits.push(waitMs) } });
    for (let i = 0; i < 2; i++) await expect(client.items.list()).rejects.toBeInstanceOf(NoAnswer);
    const [first = 0, second = 0, again = 0] = waits;
    expect(first).toBeGreaterThanOrEqual(125);
    expect(first).toBeLessThan(250);
    expect(second).toBeGreaterThanOrEqual(250);
    expect(second).toBeLessThan(500);
    expect(again).not.toBe(first);
  });
});

describe('aborts and timeouts', () => {
  it('an aborted call throws the reason of its signal', async () => {
    server.replyWith(noReply);
    const control = new AbortController();
    const call = server.client().items.list({}, { signal: control.signal });
    void eventually('the request has come', () => server.requests.length === 1).then(() => control.abort(new Error('left the page')));
    await expect(call).rejects.toThrow('left the page');
    expect(server.requests).toHaveLength(1);
  });

  it('a call can be aborted while it waits for a retry', async () => {
    server.replyWith(problem(503, 'overloaded', { 'retry-after': '30' }));
    const control = new AbortController();
    const client = server.client({ hooks: { onRetry: () => setTimeout(() => control.abort(), 20) } });
    await expect(client.items.list({}, { signal: control.signal })).rejects.toMatchObject({ name: 'AbortError' });
    expect(server.requests).toHaveLength(1);
  });

  it('a call with an aborted signal sends nothing', async () => {
    server.replyWith(json(200, page));
    await expect(server.client().items.list({}, { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' });
    expect(server.requests).toHaveLength(0);
  });

  it('a request without a response times out and is retried with the same idempotency key', async () => {
    server.replyWith(noReply, json(201, item));
    expect(await server.client({ timeoutMs: 1_000 }).items.create(newItem)).toEqual(item);
    expect(new Set(idempotencyKeys()).size).toBe(1);
    server.replyWith(noReply);
    const given = server.client().items.list({}, { timeoutMs: 50, retries: 0 });
    await expect(given).rejects.toMatchObject({ name: 'NoAnswer', reason: 'timeout' });
  });

  it('a response that stops in the middle times out', async () => {
    server.replyWith((response) => void response.writeHead(200).write('{"data": ['));
    const given = server.client().items.list({}, { timeoutMs: 50, retries: 0 });
    await expect(given).rejects.toMatchObject({ name: 'NoAnswer', reason: 'timeout' });
  });

  it('a refused connection throws NoAnswer with the reason network', async () => {
    const given = server.client({ hosts: 'http://127.0.0.1:1/v1', retries: 0 }).items.list();
    await expect(given).rejects.toMatchObject({ name: 'NoAnswer', reason: 'network' });
  });
});

describe('unexpected responses', () => {
  it('a response that is not JSON throws UnexpectedAnswer with its text', async () => {
    server.replyWith((response) => void response.writeHead(200).end('<h1>Welcome to nginx</h1>'));
    const answer: unknown = await server
      .client()
      .items.list()
      .catch((error: unknown) => error);
    expect(answer).toBeInstanceOf(UnexpectedAnswer);
    expect(answer).toMatchObject({ status: 200, text: '<h1>Welcome to nginx</h1>' });
  });

  it.each([
    [404, '{"error": "no such route"}'],
    [401, ''],
    [200, '"just text"'],
  ])('%i with the body %s throws UnexpectedAnswer', async (status, text) => {
    server.replyWith((response) => void response.writeHead(status).end(text));
    await expect(server.client().items.list()).rejects.toBeInstanceOf(UnexpectedAnswer);
  });
});

describe('hooks', () => {
  it('see each attempt without the token, and can add headers', async () => {
    const log: string[] = [];
    server.replyWith(busy, json(200, page));
    const client = server.client({
      token: 'secret',
      headers: { 'x-app': 'console' },
      hooks: {
        onRequest: ({ operation, attempt, headers }) => {
          headers.set('traceparent', 'trace');
          log.push(`${operation} ${attempt} ${headers.get('authorization')}`);
        },
        onResponse: ({ status, attempt, ms }) => void log.push(`${status} ${attempt} ${ms >= 0}`),
        onRetry: ({ attempt, reason }) => void log.push(`again ${attempt} ${(reason as Problem).code}`),
      },
    });
    await client.items.list({}, { headers: { 'x-call': 'one' } });
    expect(log).toEqual(['listItems 1 null', '503 1 true', 'again 1 overloaded', 'listItems 2 null', '200 2 true']);
    expect(server.requests.at(-1)?.headers).toMatchObject({
      authorization: 'Bearer secret',
      traceparent: 'trace',
      'x-app': 'console',
      'x-call': 'one',
      accept: 'application/json',
    });
  });
});

describe('paths and queries', () => {
  it.each(['', '.', '..'])('the id "%s" is refused before anything is sent, because it would change the path', async (id) => {
    server.replyWith(json(200, item));
    await expect(server.client().items.get({ id })).rejects.toThrow('getItem: id is missing or not a valid id');
    expect(server.requests).toHaveLength(0);
  });

  it('text in a path and in a query is percent-encoded', async () => {
    server.replyWith(json(200, page));
    const client = server.client();
    await client.categories.events({ category: '../users?x=1', term: 'a&b=c d', from: undefined as never });
    expect(server.requests[0]?.line).toBe('GET /v1/..%2Fusers%3Fx%3D1?term=a%26b%3Dc+d');
  });

  it('a query has dates in ISO format and lists with commas, and leaves out null and undefined', async () => {
    server.replyWith(json(200, page));
    await server.client().items.list({ eventId: 3, archived: false }, { query: { at: new Date(0), ids: [1, 2], none: null } });
    expect(server.requests[0]?.line).toBe('GET /v1/items?eventId=3&archived=false&at=1970-01-01T00%3A00%3A00.000Z&ids=1%2C2');
  });
});

describe('the path of an order', () => {
  it('names the event if it is known, so that a proxy can send all requests of an event to the same process', async () => {
    server.replyWith(json(200, {}), json(200, {}), json(200, {}));
    const client = server.client();
    await client.orders.create({ eventId: 5, items: [{ itemId: 6, quantity: 1 }] });
    await client.orders.cancel({ eventId: 5, id: 7, secret: 's' });
    await client.orders.cancel({ id: 7, secret: 's' });
    expect(server.requests.map(({ line }) => line)).toEqual([
      'POST /v1/event/5/orders',
      'POST /v1/event/5/orders/7/cancel',
      'POST /v1/orders/7/cancel',
    ]);
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({ items: [{ itemId: 6, quantity: 1 }] });
  });
});
