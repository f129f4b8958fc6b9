import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { CheckinResult } from '../src/door/contract.ts';
import { systemAct } from '../src/kernel/act.ts';
import type { PlacedOrder } from '../src/orders/order-schemas.ts';
import { openFiles } from '../src/platform/files/open-files.ts';
import { connect } from '../src/postgres/database.ts';
import { migrate } from '../src/postgres/migrate.ts';
import { jobsOf } from '../src/worker/start-worker.ts';
import { exported } from './exports.ts';
import { useWorld } from './harness.ts';
import { csvForm } from './multipart.ts';
import { pixPaymentsOf } from './pix-payments.ts';
import { testSecrets } from './secret-key.ts';
import { shopOf } from './shop.ts';
import { buildWorld, minutesAfterNoon, noon } from './world.ts';

const { CITUS_URL: url } = process.env;

/** Migrates and distributes the empty database of a Citus coordinator. */
async function distribute(citusUrl: string) {
  const connections = connect({ url: citusUrl, secrets: testSecrets, onError: () => undefined });
  await migrate(connections.pool);
  await connections.pool.query(`begin; ${readFileSync('deploy/citus.sql', 'utf8')}; commit`);
  await connections.close();
  // deploy/citus.sql changes settings of the database, which only new connections have.
  const distributed = connect({ url: citusUrl, secrets: testSecrets, onError: () => undefined });
  const facts = await buildWorld(distributed.db);
  await distributed.close();
  return { url: citusUrl, facts, drop: async () => undefined };
}

if (url === undefined) console.warn('test/citus.test.ts is skipped: set CITUS_URL to an empty database of a Citus coordinator');

describe.skipIf(url === undefined)('on Citus', () => {
  const world = useWorld({}, () => distribute(url ?? ''));
  const shop = shopOf(world);
  // Runs the audit after each test.
  const pix = pixPaymentsOf(world);
  const sentMails: string[] = [];
  let scans = 0;

  /** Runs every job of the worker once. Fails if a job fails. */
  async function runJobs(): Promise<void> {
    const failures: object[] = [];
    const mailer = { send: async ({ subject }: { subject: string }) => void sentMails.push(subject), close: () => undefined };
    const log = { info: () => undefined, error: (facts: object) => void failures.push(facts) };
    for (const { name, work } of jobsOf(world.config, { mailer, files: openFiles(world.config), providers: world.providers, log })) {
      await work(world.db, systemAct(name, world.now), new AbortController().signal).catch((err: unknown) => failures.push({ name, err }));
    }
    expect(failures).toEqual([]);
  }

  async function get(path: string) {
    const answer = await world.call('GET', path, { as: 'owner' });
    expect(answer.statusCode, answer.body).toBe(200);
    return answer;
  }

  async function scan(code: string): Promise<CheckinResult & { nonce: string }> {
    const nonce = `scan-${++scans}`;
    const entry = { code, at: world.now.toISOString(), gate: 'Gate A', device: 'phone-1', nonce };
    const answer = await world.call('POST', `/event/${world.event}/checkins`, { as: 'crew_entrance_operator', body: { entries: [entry] } });
    expect(answer.statusCode, answer.body).toBe(200);
    return { ...(answer.json<{ results: CheckinResult[] }>().results[0] as CheckinResult), nonce };
  }

  async function undo(nonce: string): Promise<string | undefined> {
    const entry = { undoes: nonce, at: world.now.toISOString(), device: 'phone-1', nonce: `undo-${nonce}` };
    const answer = await world.call('POST', `/event/${world.event}/checkins/undo`, {
      as: 'crew_entrance_operator',
      body: { entries: [entry] },
    });
    return answer.json<{ results: { result: string }[] }>().results[0]?.result;
  }

  const statusOf = async (order: PlacedOrder) => (await pix.read(order)).status;

  /** An item of a session whose doors are open at noon. */
  async function newItemOfToday(more: object = {}): Promise<number> {
    const today = { name: 'Today', start: '2026-03-02 08:00:00', finish: '2026-03-02 14:00:00' };
    const { id } = await shop.write('POST', `/event/${world.event}/session`, today);
    return shop.newItem({ item: { sessionIds: [id], ...more } });
  }

  it('sells by card, and refunds', async () => {
    const order = await shop.buy([{ itemId: world.item, quantity: 2 }]);
    expect(await pix.ticketsOf(order)).toHaveLength(2);
    expect((await shop.refund(order)).statusCode).toBe(200);
    expect(await statusOf(order)).toBe('refunded');
  });

  it('sells by PIX, and keeps a notice whose payment is unknown', async () => {
    const order = await shop.hold([{ itemId: world.item, quantity: 1 }]);
    const { reference } = await pix.startPix(order);
    await pix.sendAndApply({ reference }, { reference: 'unknown' });
    expect(await statusOf(order)).toBe('approved');
    expect(await pix.rowsOf('select last_error from payment_notice where last_error is not null')).toEqual([]);
    const other = await shop.hold([{ itemId: world.item, quantity: 1 }]);
    await pix.startPix(other, 'approve');
    world.now = minutesAfterNoon(5);
    await runJobs();
    await runJobs();
    expect(await statusOf(other)).toBe('approved');
  });

  it('sells in several events at the same time', async () => {
    const ofEvents = [world.event, world.siblingEvent, world.foreignEvent].map((eventId, i) => ({
      eventId,
      items: [{ itemId: [world.item, world.siblingItem, world.foreignItem][i], quantity: 1 }],
      buyer: { name: 'Ana Souza', email: `ana${eventId}@test.test` },
    }));
    const answers = await Promise.all([...ofEvents, ...ofEvents, ...ofEvents].map((body) => world.call('POST', '/orders', { body })));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(answers.map(() => 201));
  });

  it('releases expired holds, by the worker and by the next order', async () => {
    const itemId = await shop.newItem({ available: 1 });
    const first = await shop.hold([{ itemId, quantity: 1 }]);
    world.now = minutesAfterNoon(60);
    const second = await shop.hold([{ itemId, quantity: 1 }]);
    expect(await statusOf(first)).toBe('expired');
    world.now = minutesAfterNoon(120);
    await runJobs();
    expect(await statusOf(second)).toBe('expired');
  });

  it('checks in signed and imported codes, and undoes a scan', async () => {
    const order = await shop.buy([{ itemId: await newItemOfToday(), quantity: 1 }]);
    const [ticket] = await pix.ticketsOf(order);
    const first = await scan(ticket?.code ?? '');
    expect(first.result).toBe('admitted');
    expect((await scan(ticket?.code ?? '')).result).toBe('already_used');
    expect(await undo(first.nonce)).toBe('undone');
    await newItemOfToday({ name: 'Partner', type: 'external' });
    const { body, headers } = csvForm(`item,code,name\nPartner,PARTNER-1,Bia\n`);
    const imported = await world.call('POST', `/events/${world.event}/codes`, { as: 'owner', body, headers });
    expect(imported.statusCode, imported.body).toBe(201);
    expect((await scan('PARTNER-1')).result).toBe('admitted');
    await get(`/event/${world.event}/checkins`);
    await get(`/event/${world.event}/checkins/manifest`);
  });

  it('returns reports, pages and exports', async () => {
    for (const path of ['bordero', 'guestlist', 'guestlist?method=report', 'orders']) await get(`/event/${world.event}/${path}`);
    for (const type of ['transactions', 'guestlist']) {
      const { made } = await exported(world, { body: { type } });
      expect(made.status).toBe('ready');
    }
  });

  it('sends mails, cancels an event, refunds its orders and removes old data', async () => {
    const body = { eventId: world.siblingEvent, items: [{ itemId: world.siblingItem, quantity: 1 }] };
    const order = await shop.buy([], body);
    await runJobs();
    expect(sentMails.length).toBeGreaterThan(0);
    const cancelled = await world.call('POST', `/event/${world.siblingEvent}/cancel`, { as: 'owner', body: { refund: true } });
    expect(cancelled.statusCode, cancelled.body).toBe(200);
    await runJobs();
    expect(await statusOf(order)).toBe('refunded');
    world.now = new Date(noon.getTime() + 2_000 * 86_400_000);
    await runJobs();
  });
});
