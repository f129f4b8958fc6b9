import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase } from '../../test/harness.ts';
import { testSecrets } from '../../test/secret-key.ts';
import { type Connections, connect } from '../postgres/database.ts';
import { migrate } from '../postgres/migrate.ts';
import { type Migration, migrationFolder, readMigrations } from '../postgres/migrations.ts';

let connections: Connections;
let drop: () => Promise<void>;
const folder = mkdtempSync(join(tmpdir(), 'tessera-migrations-'));

beforeAll(async () => {
  const database = await createDatabase();
  drop = database.drop;
  connections = connect({ url: database.url, max: 2, secrets: testSecrets, onError: () => undefined });
  await connections.pool.query('drop schema public cascade; create schema public');
});
afterAll(async () => {
  await connections.close();
  await drop();
  rmSync(folder, { recursive: true });
});

const rowsOf = async <R extends object>(statement: string): Promise<R[]> => (await connections.pool.query<R>(statement)).rows;
const enter = (at: string) =>
  connections.pool.query(
    `insert into audit_log (at, actor_kind, operation, request_id, subject, subject_id) values ($1, 'system', 'test', 'r', 'test', 'x')`,
    [at],
  );

it('the retention migration attaches the existing audit log as the first partition, even when it is interrupted and run again', async () => {
  const known = readMigrations(migrationFolder);
  const partitioning = known.find(({ name }) => name.endsWith('_retention.sql')) as Migration;
  for (const { name, sql } of known.filter(({ name }) => name < partitioning.name)) writeFileSync(join(folder, name), sql);
  await migrate(connections.pool, { folder });
  for (const at of ['2020-01-01T00:00:00Z', new Date().toISOString()]) await enter(at);
  const [before] = await rowsOf<{ file: number }>(`select pg_relation_filenode('audit_log') as file`);

  const steps = partitioning.sql.split('\n\n');
  writeFileSync(join(folder, partitioning.name), [...steps.slice(0, -1), 'select 1 / 0;\n'].join('\n\n'));
  await expect(migrate(connections.pool, { folder })).rejects.toThrow('division by zero');
  await enter(new Date().toISOString());
  writeFileSync(join(folder, partitioning.name), partitioning.sql);
  expect(await migrate(connections.pool, { folder })).toEqual([partitioning.name]);

  await enter(new Date().toISOString());
  await enter('2100-01-01T00:00:00Z');
  expect(await rowsOf(`select id::int, tableoid::regclass::text as partition from audit_log order by id`)).toEqual([
    { id: 1, partition: 'audit_log_first' },
    { id: 2, partition: 'audit_log_first' },
    { id: 3, partition: 'audit_log_first' },
    { id: 4, partition: 'audit_log_first' },
    { id: 5, partition: 'audit_log_default' },
  ]);
  // The file on disk is the same, so no row was copied.
  expect(await rowsOf(`select pg_relation_filenode('audit_log_first') as file`)).toEqual([before]);
  expect(await rowsOf(`select conname from pg_constraint where not convalidated`)).toEqual([]);
  expect(await rowsOf(`select indexrelid::regclass::text from pg_index where not indisvalid`)).toEqual([]);
});
