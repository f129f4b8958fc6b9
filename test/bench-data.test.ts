import pg from 'pg';
import { expect, inject, it } from 'vitest';
import { auditAll } from '../bench/audit.ts';
import { createDoorEvent, sendAll, signedRequests, ticketIds } from '../bench/checkins.ts';
import { writeCheckins } from '../bench/plain-checkins.ts';
import { writeOrders } from '../bench/plain-orders.ts';
import { fillForReports } from '../bench/report-data.ts';
import { buyerHeaders } from '../bench/requests.ts';
import { type MeasuredService, withService } from '../bench/service.ts';
import { openShop, type Sale } from '../bench/shop.ts';
import { finishMaintenance, sellTickets } from '../bench/sold-tickets.ts';
import { connect } from '../src/postgres/database.ts';
import { testSecrets } from './secret-key.ts';
import { useProcesses } from './use-processes.ts';

useProcesses();

/** Runs `work` with the URL of a role that may create databases and nothing else, as on most outside servers. */
async function withPlainRole(work: (url: string) => Promise<void>): Promise<void> {
  const admin = new pg.Client({ connectionString: inject('serverUrl') });
  await admin.connect();
  await admin.query('create role bench_user login createdb');
  try {
    const url = new URL(inject('serverUrl'));
    url.username = 'bench_user';
    // Settings that only a superuser may change.
    url.searchParams.delete('options');
    await work(url.href);
  } finally {
    await admin.query('drop role bench_user');
    await admin.end();
  }
}

async function placeOrder({ origin }: MeasuredService, { eventId, itemIds }: Sale): Promise<void> {
  const body = JSON.stringify({
    eventId,
    items: [{ itemId: itemIds[0], quantity: 1 }],
    buyer: { name: 'Ana', email: 'ana@example.com', document: '123456789' },
  });
  const headers = { ...buyerHeaders(1, 'example'), 'content-type': 'application/json' };
  const { status } = await fetch(`${origin}/v1/orders`, { method: 'POST', headers, body });
  expect(status).toBe(201);
}

/** Returns the number of rows of each table. */
async function countRows({ query }: MeasuredService): Promise<Map<string, number>> {
  const tables = await query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`,
  );
  const counts = tables.map(({ name }) => `select '${name}' as name, count(*)::int as rows from ${name}`).join(' union all ');
  return new Map((await query<{ name: string; rows: number }>(counts)).map(({ name, rows }) => [name, rows]));
}

/** Sums by quarter of an hour. They get another row when a quarter begins during the test. */
const byQuarter = new Set(['entry_total', 'sales_quarter']);

/** Returns how many rows `work` adds to each table. */
async function rowsAddedBy(service: MeasuredService, work: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await countRows(service);
  await work();
  const after = await countRows(service);
  return Object.fromEntries(
    [...after]
      .map(([name, rows]) => [name, rows - (before.get(name) ?? 0)])
      .filter(([name, added]) => added !== 0 && !byQuarter.has(String(name))),
  );
}

it('on a server of DATABASE_URL, benchmarks run with a role that is no superuser, and write the same rows as real requests', () =>
  withPlainRole(async (url) => {
    process.env.DATABASE_URL = url;
    try {
      await withService({ environment: { UNSAFE_DATABASE: 'allow', SERVE: 'event,ticket,shop,door,account' } }, async (service) => {
        const shop = openShop(service);
        await sellTickets(service, await shop.createEvent(), 200);
        const { db, close } = connect({ url: service.databaseUrl, max: 1, secrets: testSecrets, onError: () => undefined });
        await auditAll(db);
        await close();
        const hot = await shop.createEvent();
        const placed = await rowsAddedBy(service, () => placeOrder(service, hot));
        const plain = await rowsAddedBy(service, () => writeOrders(service, [hot], 0));
        expect(plain).toEqual(Object.fromEntries(Object.entries(placed).map(([name, rows]) => [name, rows * 128])));
        const [real, written] = [await createDoorEvent(service, shop, 50), await createDoorEvent(service, shop, 50)];
        const { requests } = await signedRequests(service, shop, real.eventId);
        const scanned = await rowsAddedBy(service, () => sendAll(service.port, requests));
        const plainIds = await ticketIds(service, written.eventId);
        expect(await rowsAddedBy(service, () => writeCheckins(service, written.eventId, plainIds, 50))).toEqual(scanned);
        const sale = await shop.createEvent({ items: 4 });
        await fillForReports(service, sale, 200);
        await finishMaintenance(service);
        const [row] = await service.query<{ tickets: number }>('select count(*)::int as tickets from ticket where event_id = $1', [
          sale.eventId,
        ]);
        expect(row?.tickets).toBe(200);
      });
    } finally {
      delete process.env.DATABASE_URL;
    }
  }));
