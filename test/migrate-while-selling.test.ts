import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Connections, connect } from '../src/postgres/database.ts';
import { migrate } from '../src/postgres/migrate.ts';
import { migrationFolder, readMigrations } from '../src/postgres/migrations.ts';
import { eventually } from './eventually.ts';
import { useWorld } from './harness.ts';
import { testSecrets } from './secret-key.ts';
import { shopOf } from './shop.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const oldOrders = 1_000_000;

const world = useWorld();
const shop = shopOf(world);
const folder = mkdtempSync(join(tmpdir(), 'tessera-migrations-'));
let itemId: number;
/** The connections of the migration. The process of `tessera migrate` also has its own connections. */
let migrator: Connections;

beforeAll(async () => {
  for (const { name, sql } of readMigrations(migrationFolder)) writeFileSync(join(folder, name), sql);
  itemId = await shop.newItem({ available: 1_000_000 });
  migrator = connect({ url: world.url, max: 2, secrets: testSecrets, onError: () => undefined });
  const client = await session();
  // Triggers and foreign keys are off during the insert, because this test needs only a large table.
  await client.query(`
    set session_replication_role = replica;
    insert into ticket_order (event_id, id, status, app_category_id, total, currency, secret_hash, created_at, expires_at, closed_at)
    select ${world.siblingEvent}, nextval('ticket_order_id'), 'cancelled', 1, 0, 'BRL', '', now(), now(), now()
      from generate_series(1, ${oldOrders})`);
  await client.end();
});

afterAll(async () => {
  await migrator.close();
  rmSync(folder, { recursive: true });
});

async function session(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: world.url, application_name: 'reader' });
  await client.connect();
  return client;
}

/** Opens a transaction that has read orders and stays open, like a long report. */
async function openReader(): Promise<{ close: () => Promise<void> }> {
  const client = await session();
  const { rows } = await client
    .query<{ n: number }>('begin; select count(*)::int as n from ticket_order where id > 0')
    .then((results) => (results as unknown as pg.QueryResult<{ n: number }>[])[1] as pg.QueryResult<{ n: number }>);
  expect(rows[0]?.n).toBeGreaterThanOrEqual(oldOrders);
  return { close: () => client.end() };
}

/** Places an order as a member of the crew, because the limits per buyer do not apply to the crew. */
const placeOrder = async (): Promise<number> => {
  const body = { eventId: world.event, items: [{ itemId, quantity: 1 }], buyer: { name: 'Ana Souza', email: 'ana@test.test' } };
  return (await world.call('POST', '/orders', { as: 'owner', body })).statusCode;
};

/** Places one order after the other until `stop` is called, and counts the responses. */
function keepOrdering() {
  const statuses: number[] = [];
  let stopped = false;
  const ordering = (async () => {
    while (!stopped) statuses.push(await placeOrder());
  })();
  const stop = async () => {
    stopped = true;
    await ordering;
    return statuses;
  };
  return { statuses, stop };
}

describe(`tessera migrate on a table of ${oldOrders} rows, while orders are placed and a long transaction reads`, () => {
  it('no order fails, and orders are placed between the attempts of the migration', async () => {
    writeFileSync(join(folder, '9001_add_column.sql'), 'alter table ticket_order add column remark text;\n');
    writeFileSync(
      join(folder, '9002_add_index.sql'),
      '-- no transaction\n\ndrop index concurrently if exists order_remark;\n\ncreate index concurrently order_remark on ticket_order (event_id) where remark is not null;\n',
    );
    const reader = await openReader();
    const orders = keepOrdering();
    /** The number of orders that were placed when each attempt of the migration started to wait for its lock. */
    const placed: number[] = [];
    const migrating = migrate(migrator.pool, { folder, log: () => placed.push(orders.statuses.length) });
    // The open reader prevents the migration from getting its lock, so the migration retries.
    await eventually('orders go through between its tries', () => placed.length > 2 && (placed.at(-1) ?? 0) > (placed[0] ?? 0));
    await reader.close();
    expect(await migrating).toEqual(['9001_add_column.sql', '9002_add_index.sql']);
    const statuses = await orders.stop();
    expect(statuses.filter((status) => status !== 201)).toEqual([]);
  });

  it('control: without a lock timeout an order waits until the long reader has finished', async () => {
    writeFileSync(join(folder, '9003_add_column.sql'), 'alter table ticket_order add column another_remark text;\n');
    const reader = await openReader();
    const migrating = migrate(migrator.pool, { folder, lockTimeoutMs: 0 });
    const waitingBehind = async (pids: string) => {
      const { rows } = await world.pool.query<{ pid: number }>(
        `select pid from pg_stat_activity where datname = current_database() and pg_blocking_pids(pid) && (${pids})`,
      );
      return rows[0]?.pid;
    };
    const readers = `select array_agg(pid) from pg_stat_activity where application_name = 'reader' and datname = current_database()`;
    const blocked = await eventually('the migration waits for the reader', () => waitingBehind(readers));
    let answered = false;
    const order = placeOrder().finally(() => {
      answered = true;
    });
    await eventually('an order waits for the migration', () => waitingBehind(`array[${blocked}]`));
    expect(answered).toBe(false);
    await reader.close();
    expect(await migrating).toEqual(['9003_add_column.sql']);
    await order;
  });
});
