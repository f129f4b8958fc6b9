import { afterEach, describe, expect, it, vi } from 'vitest';
import { eventually } from '../../test/eventually.ts';
import { NoAnswer, Problem, UnexpectedAnswer } from '../src/index.ts';
import { hangUp, json, problem, silence, useScript } from './script.ts';

const script = useScript();
const item = { id: 1, name: 'Balcony' };
const page = { data: [], nextCursor: null };
const busy = problem(503, 'overloaded', { 'retry-after': '0' });
const newItem = { eventId: 1, name: 'Balcony' };
const keys = () => script.seen.map(({ headers }) => headers['idempotency-key']);

afterEach(() => {
  vi.useRealTimers();
});

describe('retries', () => {
  it('a write that is told to come back goes again with the same key', async () => {
    script.plays(busy, hangUp, json(201, item));
    expect(await script.client().items.create(newItem)).toEqual(item);
    expect(script.seen.map(({ body }) => body)).toEqual(Array(3).fill(JSON.stringify(newItem)));
    expect(new Set(keys()).size).toBe(1);
    expect(keys()[0]).toMatch(/^[0-9a-f]{32}$/);
  });

  it('two writes have two keys, and a read has none', async () => {
    script.plays(json(200, item));
    const client = script.client();
    await Promise.all([client.items.create(newItem), client.items.create(newItem), client.items.get({ id: 1 })]);
    const sent = keys().filter((key) => key !== undefined);
    expect(new Set(sent).size).toBe(2);
    expect(sent).toHaveLength(2);
  });

  it.each([
    ['a busy service', busy],
    ['too many requests', problem(429, 'rate_limited', { 'retry-after': new Date(0).toUTCString() })],
    ['a proxy without a service behind it', json(502, 'Bad gateway')],
    ['a lost connection', hangUp],
  ])('end after %s three times', async (_what, reply) => {
    script.plays(reply);
    await expect(script.client().items.list()).rejects.toThrow(Error);
    expect(script.seen).toHaveLength(3);
  });

  it('are as many as asked for', async () => {
    script.plays(busy);
    const client = script.client({ retries: 4 });
    await expect(client.items.list()).rejects.toMatchObject({ code: 'overloaded' });
    await expect(client.items.list({}, { retries: 0 })).rejects.toMatchObject({ code: 'overloaded' });
    expect(script.seen).toHaveLength(5 + 1);
  });

  it.each([
    [400, 'invalid_input'],
    [403, 'forbidden'],
    [404, 'not_found'],
    [409, 'sold_out'],
    [422, 'rule_violation'],
    [500, 'internal_error'],
  ])('are not made after %i, which is an answer', async (status, code) => {
    script.plays(problem(status, code));
    await expect(script.client().items.list()).rejects.toMatchObject({ status, code });
    expect(script.seen).toHaveLength(1);
  });

  it('are not made when the service asks for more patience than anybody has', async () => {
    script.plays(problem(429, 'rate_limited', { 'retry-after': '61' }));
    const refused: unknown = await script
      .client()
      .items.list()
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(Problem);
    expect((refused as Problem).headers.get('retry-after')).toBe('61');
    expect(script.seen).toHaveLength(1);
  });

  it('wait as long as they are asked to, and a little more', async () => {
    const waits: number[] = [];
    script.plays(problem(503, 'overloaded', { 'retry-after': '1' }), json(200, page));
    await script.client({ hooks: { onRetry: ({ waitMs }) => void waits.push(waitMs) } }).items.list();
    expect(waits).toHaveLength(1);
    expect(waits[0]).toBeGreaterThanOrEqual(1000);
    expect(waits[0]).toBeLessThan(1250);
  });

  it('wait longer each time when nobody says how long, and never alike', async () => {
    const waits: number[] = [];
    script.plays(hangUp);
    const client = script.client({ retries: 2, hooks: { onRetry: ({ waitMs }) => void waits.push(waitMs) } });
    for (let i = 0; i < 2; i++) await expect(client.items.list()).rejects.toBeInstanceOf(NoAnswer);
    const [first = 0, second = 0, again = 0] = waits;
    expect(first).toBeGreaterThanOrEqual(125);
    expect(first).toBeLessThan(250);
    expect(second).toBeGreaterThanOrEqual(250);
    expect(second).toBeLessThan(500);
    expect(again).not.toBe(first);
  });
});

describe('giving up', () => {
  it('a call that is aborted ends with the reason of who aborted it', async () => {
    script.plays(silence);
    const control = new AbortController();
    const call = script.client().items.list({}, { signal: control.signal });
    void eventually('the request has come', () => script.seen.length === 1).then(() => control.abort(new Error('left the page')));
    await expect(call).rejects.toThrow('left the page');
    expect(script.seen).toHaveLength(1);
  });

  it('also while it waits to try again', async () => {
    script.plays(problem(503, 'overloaded', { 'retry-after': '30' }));
    const control = new AbortController();
    const client = script.client({ hooks: { onRetry: () => setTimeout(() => control.abort(), 20) } });
    await expect(client.items.list({}, { signal: control.signal })).rejects.toMatchObject({ name: 'AbortError' });
    expect(script.seen).toHaveLength(1);
  });

  it('and before anything is sent', async () => {
    script.plays(json(200, page));
    await expect(script.client().items.list({}, { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' });
    expect(script.seen).toHaveLength(0);
  });

  it('a silent service is given up after a while, and asked again with the same key', async () => {
    script.plays(silence, json(201, item));
    expect(await script.client({ timeoutMs: 1_000 }).items.create(newItem)).toEqual(item);
    expect(new Set(keys()).size).toBe(1);
    script.plays(silence);
    const given = script.client().items.list({}, { timeoutMs: 50, retries: 0 });
    await expect(given).rejects.toMatchObject({ name: 'NoAnswer', reason: 'timeout' });
  });

  it('so is one that stops in the middle of its answer', async () => {
    script.plays((response) => void response.writeHead(200).write('{"data": ['));
    const given = script.client().items.list({}, { timeoutMs: 50, retries: 0 });
    await expect(given).rejects.toMatchObject({ name: 'NoAnswer', reason: 'timeout' });
  });

  it('nobody listens: that is no answer either', async () => {
    const given = script.client({ hosts: 'http://127.0.0.1:1/v1', retries: 0 }).items.list();
    await expect(given).rejects.toMatchObject({ name: 'NoAnswer', reason: 'network' });
  });
});

describe('answers', () => {
  it('what is no JSON is unexpected, and shown', async () => {
    script.plays((response) => void response.writeHead(200).end('<h1>Welcome to nginx</h1>'));
    const answer: unknown = await script
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
  ])('%i with %s is not ours', async (status, text) => {
    script.plays((response) => void response.writeHead(status).end(text));
    await expect(script.client().items.list()).rejects.toBeInstanceOf(UnexpectedAnswer);
  });
});

describe('hooks', () => {
  it('see each attempt, add headers, and never see the token', async () => {
    const log: string[] = [];
    script.plays(busy, json(200, page));
    const client = script.client({
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
    expect(script.seen.at(-1)?.headers).toMatchObject({
      authorization: 'Bearer secret',
      traceparent: 'trace',
      'x-app': 'console',
      'x-call': 'one',
      accept: 'application/json',
    });
  });
});

describe('addresses', () => {
  it.each(['', '.', '..'])('an id that is "%s" would lead elsewhere and is not sent', async (id) => {
    script.plays(json(200, item));
    await expect(script.client().items.get({ id })).rejects.toThrow('getItem: id is missing or no id');
    expect(script.seen).toHaveLength(0);
  });

  it('text in a path stays in its place, and so does text in a query', async () => {
    script.plays(json(200, page));
    const client = script.client();
    await client.categories.events({ category: '../users?x=1', term: 'a&b=c d', from: undefined as never });
    expect(script.seen[0]?.line).toBe('GET /v1/..%2Fusers%3Fx%3D1?term=a%26b%3Dc+d');
  });

  it('dates, lists and nothing are written as the service reads them', async () => {
    script.plays(json(200, page));
    await script.client().items.list({ eventId: 3, archived: false }, { query: { at: new Date(0), ids: [1, 2], none: null } });
    expect(script.seen[0]?.line).toBe('GET /v1/items?eventId=3&archived=false&at=1970-01-01T00%3A00%3A00.000Z&ids=1%2C2');
  });
});
