import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, createApp } from '../src/app.ts';
import type { PlacedOrder } from '../src/orders/order-schemas.ts';
import type { Message } from '../src/platform/mail/mailer.ts';
import { useWorld } from './harness.ts';
import { columnsContaining } from './personal-data/marked-columns.ts';
import { runJobs } from './personal-data/type-canaries.ts';
import { testConfig } from './test-config.ts';

/*
 * A buyer uses the secret of an order and the token of a mail link in every way, in requests that succeed and in requests that fail. Then the
 * tests search the log, the database and all responses for them.
 */

const world = useWorld();
const lines: string[] = [];
let app: App;
const mails: Message[] = [];

/** Responses to requests that contain a secret, with their headers. */
const responses: string[] = [];

async function send(method: 'GET' | 'POST' | 'PUT', path: string, headers: Record<string, string>, body?: object): Promise<number> {
  const answer = await app.inject({ method, url: `/v1${path}`, headers, ...(body && { payload: body }) });
  const { 'set-cookie': _cookie, ...others } = answer.headers;
  responses.push(`${JSON.stringify(others)} ${answer.body}`);
  return answer.statusCode;
}

/** Sends requests with this credential that succeed, and requests that fail in each step of a request. */
async function useCredential(id: number, secret: string): Promise<void> {
  const cookie = { cookie: `order-${id}=${secret}`, 'sec-fetch-site': 'same-origin' };
  const ways = [{ authorization: `Order ${secret}` }, { 'order-secret': secret }, cookie];
  for (const headers of ways) {
    expect(await send('GET', `/orders/${id}`, headers)).toBe(200);
    expect(await send('GET', `/orders/${id}/tickets`, headers)).toBe(200);
    expect(await send('POST', `/orders/${id}/session`, headers)).toBe(204);
    expect(await send('POST', `/orders/${id}/extend`, { ...headers, 'idempotency-key': `once-${secret.length}` })).toBe(409);
    expect(await send('PUT', `/orders/${id}/buyer`, headers, { name: 1 })).toBe(400);
    expect(await send('GET', `/orders/${id + 1_000}`, headers)).toBe(404);
  }
  expect(await send('GET', `/orders/${id}?secret=${secret}`, {})).toBe(200);
  expect(await send('GET', `/orders/${id}?secret=${secret.repeat(10)}`, {})).toBe(400);
  expect(await send('GET', `/orders/${id}?secret=${secret}&secret=${secret}`, {})).toBe(400);
  expect(await send('GET', `/orders/${id}`, { 'order-secret': secret.repeat(10) })).toBe(400);
  expect(await send('GET', `/event/${world.event}`, { authorization: `Order ${secret}` })).toBe(401);
  expect(await send('GET', `/nowhere/${secret.length}?token=${secret}`, { authorization: `Bearer ${secret}` })).toBe(404);
}

let order: PlacedOrder;
let token = '';
beforeAll(async () => {
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString());
      done();
    },
  });
  app = await createApp(testConfig({ LOG_LEVEL: 'trace' }), { db: world.db, clock: () => world.now, logTo: stream });
  const body = { eventId: world.event, items: [{ itemId: world.item, quantity: 1 }], buyer: { name: 'Ana', email: 'ana@test.test' } };
  const headers = { 'idempotency-key': 'the-first-order' };
  order = (await app.inject({ method: 'POST', url: '/v1/orders', payload: body, headers })).json();
  const paid = { 'idempotency-key': 'the-payment', authorization: `Order ${order.secret}` };
  await send('POST', `/orders/${order.id}/payment`, paid, { method: 'card' });
  await runJobs(world, { send: async (message) => void mails.push(message), close: () => undefined });
  token = /\?token=(\S+)/.exec(mails[0]?.text ?? '')?.[1] ?? '';
  await useCredential(order.id, order.secret);
  await useCredential(order.id, token);
});
afterAll(() => app.close());

/** The forms in which a text could be stored. */
const formsOf = (text: string): string[] => [text, encodeURIComponent(text), Buffer.from(text).toString('base64').replaceAll('=', '')];

describe('the secret of an order and the token of a mail link', () => {
  const secrets = () => [order.secret, token];

  it('are not in the log', () => {
    expect(token).toMatch(/^l\./);
    expect(lines.length).toBeGreaterThan(30);
    for (const form of secrets().flatMap(formsOf)) expect(lines.join('')).not.toContain(form);
  });

  it('are in no column of the database, the audit log included', async () => {
    for (const secret of secrets()) expect(await columnsContaining(world.pool, secret)).toEqual([]);
  });

  it('are in no response but the one that creates them, and pages do not pass on their URL', () => {
    expect(responses.length).toBeGreaterThan(40);
    for (const response of responses) {
      for (const form of secrets().flatMap(formsOf)) expect(response).not.toContain(form);
      expect(response).toContain('"referrer-policy":"no-referrer"');
      expect(response).toContain('"cache-control":"no-store"');
    }
  });

  it('control: the search finds a secret in the log and in the database', async () => {
    app.log.info({ url: `/v1/orders/1?secret=${order.secret}` }, 'request');
    expect(lines.join('')).toContain(order.secret);
    await world.pool.query('update category set name = $1', [`x ${token}`]);
    expect(await columnsContaining(world.pool, token)).toEqual(['category.name']);
  });
});
