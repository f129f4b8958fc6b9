import pg from 'pg';
import { expect, inject, it } from 'vitest';
import { auditAll } from '../bench/audit.ts';
import { fillForReports } from '../bench/report-data.ts';
import { withService } from '../bench/service.ts';
import { openShop } from '../bench/shop.ts';
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

it('on a server of DATABASE_URL, benchmarks run with a role that is no superuser, and the data they fill in passes the audit', () =>
  withPlainRole(async (url) => {
    process.env.DATABASE_URL = url;
    try {
      await withService({ environment: { UNSAFE_DATABASE: 'allow' } }, async (service) => {
        const shop = openShop(service);
        await sellTickets(service, await shop.createEvent(), 200);
        const { db, close } = connect({ url: service.databaseUrl, max: 1, secrets: testSecrets, onError: () => undefined });
        await auditAll(db).finally(close);
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
