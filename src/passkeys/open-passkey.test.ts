import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import { testSecrets } from '../../test/secret-key.ts';
import { buffersOf, statementsOf } from '../../test/statements.ts';
import { noon } from '../../test/world.ts';
import { systemAct } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { createPasskeyBatch } from './create-batch.ts';
import { createPasskey } from './create-passkey.ts';
import { openPasskey } from './open-passkey.ts';
import { replacePasskeyItems } from './replace-items.ts';
import { deletePasskey } from './update-passkey.ts';

const world = useWorld();
const act = systemAct('test', noon);
let passkey: number;
let lastAddress = 0;
/** Returns an address that has sent no wrong passkeys. */
const freshAddress = (): string => `10.0.${lastAddress >> 8}.${lastAddress++ & 255}`;

beforeAll(async () => {
  await inTransaction(world.db, {}, async (tx) => {
    const create = async (text: string, terms = {}) => (await createPasskey(tx, act, { eventId: world.event, passkey: text, ...terms })).id;
    passkey = await create('Abracadabra', { start: '2026-03-01 09:00:00', finish: '2026-03-04', limit: 2 });
    await replacePasskeyItems(tx, act, passkey, [world.item]);
    await deletePasskey(tx, act, await create('removed'));
    await createPasskeyBatch(tx, act, world.siblingEvent, { generate: 20_000 });
  });
  await world.pool.query('vacuum analyze passkey, passkey_item');
});

interface Try {
  text?: string;
  at?: string | Date;
  address?: string | null;
  eventId?: number;
}

const open = ({ text = 'Abracadabra', at = noon, address = freshAddress(), eventId = world.event }: Try = {}) =>
  inTransaction(world.db, {}, (tx) => openPasskey(tx, { eventId, text, at: new Date(at), address }));

/** Returns the reason of the rejection, `rate_limited`, or `open`. */
async function outcome(asked: Try): Promise<string> {
  const opened = await open(asked);
  if (!(opened instanceof Problem)) return 'open';
  return opened.code === 'passkey_rejected' ? String(opened.details.extra?.reason) : opened.code;
}

const many = (count: number, asked: () => Try) => Promise.all(Array.from({ length: count }, () => outcome(asked())));
const tally = (outcomes: string[]) =>
  Object.fromEntries([...new Set(outcomes)].map((one) => [one, outcomes.filter((o) => o === one).length]));

/** Creates an app with its own copy of every module, to simulate another process. */
async function appOfAnotherProcess() {
  vi.resetModules();
  const { connect } = await import('../postgres/database.ts');
  const { createApp } = await import('../app.ts');
  const connections = connect({ url: world.url, max: 2, secrets: testSecrets, onError: () => undefined });
  const app = await createApp(world.config, { db: connections.db, clock: () => world.now });
  onTestFinished(async () => {
    await app.close();
    await connections.close();
  });
  return app;
}

describe('openPasskey', () => {
  it('returns the items of the passkey, for a text in any case and with spaces around it', async () => {
    for (const text of ['Abracadabra', 'ABRACADABRA', '  abracadabra '])
      expect(await open({ text })).toEqual({ id: passkey, itemIds: [world.item], left: 2 });
  });

  it('returns 403 passkey_rejected with the reason', async () => {
    expect(await outcome({ text: 'abracadabr' })).toBe('unknown');
    expect(await outcome({ text: 'removed' })).toBe('unknown');
    expect(await outcome({ eventId: world.siblingEvent })).toBe('unknown');
    expect(await outcome({ at: '2026-03-01T11:59:59.999Z' })).toBe('early');
    expect(await outcome({ at: '2026-03-01T12:00:00Z' })).toBe('open');
    expect(await outcome({ at: '2026-03-05T02:59:59.999Z' })).toBe('open');
    expect(await outcome({ at: '2026-03-05T03:00:00Z' })).toBe('late');
    await world.pool.query('update passkey set used = 1, held = 1 where id = $1', [passkey]);
    expect(await outcome({})).toBe('exhausted');
    await world.pool.query('update passkey set used = 0, held = 0 where id = $1', [passkey]);
    expect(await open({ text: 'far off' })).toMatchObject({ status: 403, code: 'passkey_rejected' });
  });

  it('returns 429 for ten minutes after twenty wrong passkeys from one address, even for correct passkeys, in every event', async () => {
    const address = freshAddress();
    const at = new Date('2026-03-02T13:00:00Z');
    expect(tally(await many(19, () => ({ text: 'wrong', address, at })))).toEqual({ unknown: 19 });
    expect(await outcome({ address, at })).toBe('open');
    expect(await outcome({ text: 'wrong', address, at })).toBe('unknown');
    expect(await outcome({ address, at })).toBe('rate_limited');
    expect(await outcome({ address, at, eventId: world.siblingEvent })).toBe('rate_limited');
    expect(await outcome({ at })).toBe('open');
    expect(await open({ address, at: '2026-03-02T13:09:58.500Z' })).toMatchObject({
      status: 429,
      details: { headers: { 'retry-after': '2' } },
    });
    expect(await outcome({ address, at: '2026-03-02T13:10:00Z' })).toBe('open');
    expect(tally(await many(25, () => ({ text: 'wrong', address, at: '2026-03-02T13:10:00Z' })))).toEqual({ unknown: 20, rate_limited: 5 });
  });

  it('counts concurrent guesses, and all addresses of an IPv6 /64 together', async () => {
    const address = '2001:db8::1';
    expect(tally(await many(60, () => ({ text: 'wrong', address })))).toEqual({ unknown: 20, rate_limited: 40 });
    expect(await outcome({ address: '2001:db8::2' })).toBe('rate_limited');
  });

  it('does not count correct, early or late passkeys', async () => {
    const address = freshAddress();
    expect(tally(await many(50, () => ({ address })))).toEqual({ open: 50 });
    expect(tally(await many(50, () => ({ address, at: '2026-02-01T00:00:00Z' })))).toEqual({ early: 50 });
    expect(await outcome({ address })).toBe('open');
  });

  it('returns 429 in one event for a minute after a thousand wrong passkeys from any address', async () => {
    const at = new Date('2026-03-02T15:00:00Z');
    await open({ text: 'wrong', at });
    const { rowCount } = await world.pool.query('update login_failure set failures = 999 where expires_at = $1', ['2026-03-02T15:01:00Z']);
    expect(rowCount).toBe(1);
    expect(await outcome({ at })).toBe('open');
    expect(await outcome({ text: 'wrong', at })).toBe('unknown');
    expect(await outcome({ at })).toBe('rate_limited');
    expect(await outcome({ at, eventId: world.siblingEvent })).toBe('unknown');
    expect(await outcome({ at: '2026-03-02T15:01:00Z' })).toBe('open');
    await world.pool.query('delete from login_failure');
  });

  it('stores no address', async () => {
    const address = '203.0.113.77';
    await open({ text: 'wrong', address });
    const { rows } = await world.pool.query<{ line: string }>('select login_failure::text as line from login_failure');
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter(({ line }) => line.includes(address))).toEqual([]);
  });

  it('reads a few database pages for a correct passkey, a similar text and a different text', async () => {
    const { rows } = await world.pool.query<{ code: string }>('select code from passkey where event_id = $1 order by id desc limit 1', [
      world.siblingEvent,
    ]);
    const hit = rows[0]?.code ?? '';
    const costs: number[] = [];
    const texts = new Set<string>();
    for (const text of [hit, `${hit.slice(0, -1)}!`, `!${hit.slice(1)}`, 'nothing like it', 'x'.repeat(1_000)]) {
      const { statements } = await statementsOf(() => outcome({ text, eventId: world.siblingEvent }));
      const lookups = statements.filter((statement) => statement.text.includes('join passkey p'));
      expect(lookups).toHaveLength(1);
      for (const statement of lookups) {
        texts.add(statement.text);
        costs.push(await buffersOf(world.pool, statement));
      }
    }
    expect(texts.size).toBe(1);
    // A scan of twenty thousand codes would read hundreds of pages. A hit also reads the row of the passkey and its items.
    expect(Math.max(...costs)).toBeLessThan(12);
    expect(new Set(costs.slice(1)).size).toBe(1);
  });
});

describe('wrong passkeys in several processes', () => {
  it('are counted together for GET /event/{id}/tickets and POST /orders, and every process returns 429', async () => {
    const apps = [world.app, await appOfAnotherProcess()] as const;
    const remoteAddress = freshAddress();
    const tickets = async (app: 0 | 1, text: string, from = remoteAddress) =>
      (await apps[app].inject({ url: `/v1/event/${world.event}/tickets?passkey=${text}`, remoteAddress: from })).statusCode;
    const order = async (app: 0 | 1, text: string) => {
      const buyer = { name: 'Ana Souza', email: 'ana@test.test' };
      const payload = { eventId: world.event, passkey: text, items: [{ itemId: world.item, quantity: 1 }], buyer };
      return (await apps[app].inject({ method: 'POST', url: '/v1/orders', remoteAddress, payload })).statusCode;
    };
    const guesses: number[] = [];
    for (let i = 0; i < 5; i++)
      guesses.push(await tickets(0, 'wrong'), await tickets(1, 'wrong'), await order(0, 'wrong'), await order(1, 'wrong'));
    expect(guesses).toEqual(Array.from({ length: 20 }, () => 403));
    expect([await tickets(0, 'Abracadabra'), await tickets(1, 'Abracadabra')]).toEqual([429, 429]);
    expect([await order(0, 'Abracadabra'), await order(1, 'Abracadabra')]).toEqual([429, 429]);
    expect([await tickets(0, 'Abracadabra', freshAddress()), await tickets(1, 'Abracadabra', freshAddress())]).toEqual([200, 200]);
  });

  it('are all counted when concurrent orders send them', async () => {
    const remoteAddress = freshAddress();
    const buyer = { name: 'Ana Souza', email: 'ana@test.test' };
    const payload = { eventId: world.event, passkey: 'wrong', items: [{ itemId: world.item, quantity: 1 }], buyer };
    const orders = Array.from({ length: 40 }, () => world.app.inject({ method: 'POST', url: '/v1/orders', remoteAddress, payload }));
    const statuses = (await Promise.all(orders)).map(({ statusCode }) => String(statusCode));
    expect(tally(statuses)).toEqual({ 403: 20, 429: 20 });
    expect(await outcome({ address: remoteAddress })).toBe('rate_limited');
  });
});
