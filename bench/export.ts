// S5: the duration of an export of orders to CSV, compared with a raw COPY of the same columns to a file. M1: the memory that the export
// needs.
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { transactionParts } from '../src/exports/transactions.sql.ts';
import { connect, type Database } from '../src/postgres/database.ts';
import { testSecrets } from '../test/secret-key.ts';
import { compare, secondsOf, speedRatio } from './compare.ts';
import type { Measure, Options, Result, Seconds } from './measure.ts';
import { growthOf } from './memory.ts';
import { type MeasuredService, withService } from './service.ts';
import { openShop, type Shop } from './shop.ts';
import { sellTickets } from './sold-tickets.ts';

interface Export {
  id: number;
  status: string;
  rows: number | null;
  createdAt: string;
  finishedAt: string | null;
}

/**
 * Returns a function that copies the rows of the export to a file with a raw COPY, without the protection against formulas. PostgreSQL writes
 * the file itself. If the role may not do that, as on most outside servers, the rows are streamed to a file of this machine.
 */
async function rawCopy(service: MeasuredService, eventId: number, folder: string): Promise<() => Promise<unknown>> {
  const { query, databaseUrl } = service;
  const [facts] = await query<{ timezone: string; writes: boolean }>(
    `select timezone, pg_has_role('pg_write_server_files', 'usage') as writes from event where id = $1`,
    [eventId],
  );
  const { db, close } = connect({ url: databaseUrl, max: 1, secrets: testSecrets, onError: () => undefined });
  const exported = await exportQuery(db, eventId, facts?.timezone ?? 'UTC');
  await close();
  const select = exported.replaceAll('csv_text(', '(');
  if (!facts?.writes) return () => copyToFile(service, `copy (${select}) to stdout (format csv)`, join(folder, 'raw.csv'));
  const [server] = await query<{ folder: string }>(`select current_setting('data_directory') as folder`);
  return () => query(`copy (${select}) to '${server?.folder}/raw.csv' (format csv)`);
}

async function copyToFile(service: MeasuredService, statement: string, file: string): Promise<void> {
  const client = await service.connect();
  try {
    await pipeline(client.query(copyTo(statement)), createWriteStream(file));
  } finally {
    await client.end();
  }
}

/** Returns the query of the export with its parameters in the text, because COPY does not accept parameters. */
async function exportQuery(db: Database, eventId: number, zone: string): Promise<string> {
  const [part] = await transactionParts(db, { eventId, filters: {}, personal: true, format: 'csv', zone, at: new Date() });
  if (!part) throw new Error('The export has no query');
  const { sql, parameters } = part.rows({ after: 0, upTo: Number.MAX_SAFE_INTEGER }).compile(db);
  const toLiteral = (value: unknown) =>
    typeof value === 'number' ? String(value) : pg.escapeLiteral(value instanceof Date ? value.toISOString() : String(value));
  return sql.replaceAll(/\$(\d+)/g, (_, n: string) => toLiteral(parameters[Number(n) - 1]));
}

let requested = 0;
/** Returns a filter that matches all rows. Its value is always new, because the same request would return the existing export. */
const newFilter = () => [{ name: 'from', value: `2001-01-01 00:00:${String(++requested).padStart(2, '0')}` }];

/** Measures the time from the request until the file is ready, by the clock of the service, so that polling does not count. */
export async function exportOrders({ call }: Shop, eventId: number, rows: number): Promise<Seconds> {
  let made = await call<Export>('POST', `/event/${eventId}/export`, { filters: newFilter() });
  while (made.finishedAt === null) {
    await sleep(100);
    made = await call('GET', `/exports/${made.id}`);
  }
  if (made.status !== 'ready' || made.rows !== rows) throw new Error(`The export failed: ${JSON.stringify(made)}`);
  return { seconds: (Date.parse(made.finishedAt) - Date.parse(made.createdAt)) / 1_000 };
}

export const measureExport: Measure = async (options) => {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-bench-'));
  try {
    return await measureIn(folder, options);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const measureIn = (folder: string, { rounds, quick, progress }: Options): Promise<Record<string, Result>> =>
  withService({}, async (service) => {
    const count = quick ? 10_000 : 1_000_000;
    progress(`S5, M1: filling ${count} orders`);
    const shop = openShop(service);
    const sale = await shop.createEvent();
    await sellTickets(service, sale, count);
    const copyRaw = await rawCopy(service, sale.eventId, folder);
    progress('S5, M1');
    const growths: number[] = [];
    const compared = await compare({
      rounds,
      async ours() {
        const { result, grownMiB } = await growthOf(service.pid, () => exportOrders(shop, sale.eventId, count));
        growths.push(grownMiB);
        return result;
      },
      control: () => secondsOf(copyRaw),
      ratio: speedRatio,
    });
    return { S5: { ...compared, count }, M1: { value: Math.max(...growths), count } };
  });
