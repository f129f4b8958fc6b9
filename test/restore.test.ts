import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { FastifyInstance } from 'fastify';
import pg from 'pg';
import { from, to } from 'pg-copy-streams';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../src/app.ts';
import type { Manifest } from '../src/door/contract.ts';
import { type Connections, connect } from '../src/postgres/database.ts';
import { type EmbeddedServer, startEmbedded } from '../src/postgres/embedded/server.ts';
import { migrate } from '../src/postgres/migrate.ts';
import { skipIds } from '../src/postgres/skip-ids.ts';
import { inTransaction } from '../src/postgres/transaction.ts';
import { useWorld } from './harness.ts';
import { testSecrets } from './secret-key.ts';
import { shopOf } from './shop.ts';

/*
 * Restores a dump of the database into a new cluster, whose transaction ids start at the beginning. The npm packages do not contain pg_dump.
 * So the test does the work of pg_dump: it creates the schema, copies each table and sets each sequence.
 */

const world = useWorld();
const shop = shopOf(world);
const dataDir = mkdtempSync(join(tmpdir(), 'tessera-restore-'));
let server: EmbeddedServer;
let restored: Connections;
let app: FastifyInstance;
let itemId = 0;
let signedItem = 0;
let scans = 0;

async function copyTables(source: pg.Client, target: pg.Client): Promise<void> {
  const { rows } = await source.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class
      where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace order by 1`,
  );
  // This setting turns triggers and foreign keys off, as during a restore.
  await target.query('set session_replication_role = replica');
  await target.query(`truncate ${rows.map(({ name }) => name).join(', ')}`);
  for (const { name } of rows)
    await pipeline(source.query(to(`copy (select * from ${name}) to stdout`)), target.query(from(`copy ${name} from stdin`)));
  const { rows: sequences } = await source.query<{ name: string; last: string }>(
    `select format('%I', sequencename) as name, last_value::text as last from pg_sequences where schemaname = 'public' and last_value is not null`,
  );
  for (const { name, last } of sequences) await target.query('select setval($1::regclass, $2::bigint)', [name, last]);
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Reads all pages of the manifest, like a device. Fails if there are too many pages. */
async function readManifest(service: FastifyInstance, since?: string) {
  const heard = { tickets: [] as Manifest['tickets'], codes: [] as Manifest['codes'], admissions: [] as Manifest['admissions'] };
  let [next, isReset] = [since, false];
  for (let pages = 0; pages < 100; pages++) {
    const answer = await service.inject({
      url: `/v1/event/${world.event}/checkins/manifest?pageSize=3${next === undefined ? '' : `&since=${next}`}`,
      headers: { authorization: `Bearer ${world.tokens.crew_entrance_operator}` },
    });
    expect(answer.statusCode, answer.body).toBe(200);
    const page = answer.json<Manifest>();
    for (const part of ['tickets', 'codes', 'admissions'] as const) heard[part].push(...(page[part] as never[]));
    isReset ||= page.reset;
    next = page.next;
    if (!page.more) return { ...heard, next, isReset };
  }
  throw new Error('The manifest has more pages than it should');
}

beforeAll(async () => {
  chmodSync(dataDir, 0o755);
  // Uses up transaction ids, so that the old cluster is ahead of the new one.
  for (let i = 0; i < 3_000; i++) await world.pool.query('select pg_current_xact_id()');
  itemId = await shop.newItem({ attributes: { customCode: true } });
  await shop.importCodes(itemId, 'A', 'B', 'C', 'D');
  const elsewhere = (await shop.write('POST', '/items', { eventId: world.event, name: 'Partner', type: 'external' })).id;
  await shop.importCodes(elsewhere, 'P1', 'P2');
  const order = await shop.buy([{ itemId, quantity: 2 }]);
  signedItem = await shop.newItem();
  await shop.buy([{ itemId: signedItem, quantity: 5 }]);
  await shop.refund(order, { lines: [{ itemId, quantity: 1 }] });
  server = await startEmbedded({ dataDir, durable: false, log: () => undefined, onLost: () => undefined });
  restored = connect({ url: server.url, max: 5, secrets: testSecrets, onError: () => undefined });
  await migrate(restored.pool);
  await withClient(world.url, (source) => withClient(server.url, (target) => copyTables(source, target)));
  app = await createApp(world.config, { db: restored.db, clock: () => world.now });
}, 120_000);

afterAll(async () => {
  await app?.close();
  await restored?.close();
  await server?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Buys a ticket on the new cluster. Returns the id of the order. */
async function buyOnNew(item: number): Promise<number> {
  const buyer = { name: 'Ana', email: 'ana@test.test' };
  const order = await app.inject({
    method: 'POST',
    url: '/v1/orders',
    payload: { eventId: world.event, items: [{ itemId: item, quantity: 1 }], buyer },
  });
  const { id, secret } = order.json<{ id: number; secret: string }>();
  const paid = await app.inject({ method: 'POST', url: `/v1/orders/${id}/payment?secret=${secret}`, payload: { method: 'card' } });
  expect(paid.statusCode, paid.body).toBe(201);
  return id;
}

/** Buys a ticket on the old cluster, which the new one does not know. Returns its code. */
async function buyLostTicket(): Promise<string> {
  const { id, secret } = await shop.buy([{ itemId: signedItem, quantity: 1 }]);
  const { data } = (await world.call('GET', `/orders/${id}/tickets?secret=${secret}`)).json<{ data: { code: string }[] }>();
  return data[0]?.code ?? '';
}

async function scanOnNew(code: string): Promise<string> {
  const { body } = await app.inject({
    method: 'POST',
    url: `/v1/event/${world.event}/checkins`,
    headers: { authorization: `Bearer ${world.tokens.crew_entrance_operator}` },
    payload: { entries: [{ code, at: world.now.toISOString(), device: 'phone', nonce: `n${++scans}` }] },
  });
  return JSON.parse(body).results[0].result;
}

describe('a database that was restored into a new cluster', () => {
  it('GET …/checkins/manifest returns each ticket and code exactly once', async () => {
    const [before, after] = [await readManifest(world.app), await readManifest(app)];
    expect(before.tickets).toHaveLength(7);
    expect(after.tickets).toEqual(before.tickets);
    expect(after.codes).toEqual(before.codes);
    expect(after.admissions).toEqual(before.admissions);
    expect(await readManifest(app, after.next)).toMatchObject({ tickets: [], codes: [], admissions: [], isReset: false });
  });

  it('GET …/checkins/manifest returns the full manifest once for a cursor of the old cluster', async () => {
    const before = await readManifest(world.app);
    const after = await readManifest(app, before.next);
    expect(after.isReset).toBe(true);
    expect(after.tickets).toEqual(before.tickets);
    expect(await readManifest(app, after.next)).toMatchObject({ tickets: [], isReset: false });
  });

  it('GET …/checkins/manifest then returns only tickets that are sold or refunded on the new cluster', async () => {
    const { next } = await readManifest(app);
    const id = await buyOnNew(itemId);
    const sold = await readManifest(app, next);
    expect(sold.tickets.map(({ status }) => status)).toEqual(['valid']);
    const refund = await app.inject({
      method: 'POST',
      url: `/v1/orders/${id}/refund`,
      headers: { authorization: `Bearer ${world.tokens.owner}` },
      payload: {},
    });
    expect(refund.statusCode, refund.body).toBe(200);
    expect((await readManifest(app, sold.next)).tickets).toEqual([{ ...sold.tickets[0], status: 'refunded' }]);
  });

  it('knows no ticket that was sold after the backup, once its ids were skipped', async () => {
    const lost = [await buyLostTicket(), await buyLostTicket(), await buyLostTicket()];
    // Control: the second ticket that the new cluster sells gets the id of the second lost ticket, which is then valid.
    await buyOnNew(signedItem);
    expect(await scanOnNew(lost[1] as string)).not.toBe('unknown');
    await inTransaction(restored.db, {}, (tx) => skipIds(tx, 1_000));
    for (let i = 0; i < 3; i++) await buyOnNew(signedItem);
    expect(await scanOnNew(lost[2] as string)).toBe('unknown');
  });
});
