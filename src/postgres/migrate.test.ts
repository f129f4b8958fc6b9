import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { createDatabaseOn } from '../../test/database.ts';
import { useWorld } from '../../test/harness.ts';
import { migrate } from './migrate.ts';
import { migrationFolder, readMigrations, release, requireSchema } from './migrations.ts';

const world = useWorld();

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
  await sql`delete from schema_migration where name >= '9000'`.execute(world.db);
});

/** Creates a folder with the migrations of this release and the given files. */
function folderWith(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-migrations-'));
  folders.push(folder);
  for (const { name, sql: text } of readMigrations(migrationFolder)) writeFileSync(join(folder, name), text);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

const applied = (name: string, by: string, oldest: string | null) =>
  sql`insert into schema_migration (name, hash, release, oldest_release) values (${name}, '', ${by}, ${oldest})`.execute(world.db);

/** Opens a session that has run the statement and stays open. */
async function sessionWith(statement: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: world.url, application_name: 'somebody' });
  await client.connect();
  await client.query(statement);
  return client;
}

describe('migrate', () => {
  it('applies nothing to an up-to-date database, even when two calls run concurrently', async () => {
    expect(await Promise.all([migrate(world.pool), migrate(world.pool)])).toEqual([[], []]);
  });

  it('refuses a database from a newer release and names that release', async () => {
    await applied('9999_future.sql', '7.0.0', null);
    await expect(migrate(world.pool)).rejects.toThrow('Use release 7.0.0 or newer');
    await expect(requireSchema(world.pool)).rejects.toThrow(`This release, ${release}, is older than the database`);
  });

  it('accepts a newer schema whose oldest release is this release', async () => {
    await applied('9999_future.sql', '7.0.0', release);
    await requireSchema(world.pool);
    await applied('9999_later.sql', '8.0.0', '7.0.0');
    await expect(requireSchema(world.pool)).rejects.toThrow('Use release 8.0.0 or newer');
  });

  it('records the header "-- oldest release" of a migration', async () => {
    const folder = folderWith({ '9001_note.sql': '-- Why.\n-- oldest release: 0.2.0\nselect 1;\n' });
    expect(await migrate(world.pool, { folder })).toEqual(['9001_note.sql']);
    const { rows } = await sql`select release, oldest_release from schema_migration where name = '9001_note.sql'`.execute(world.db);
    expect(rows).toEqual([{ release, oldest_release: '0.2.0' }]);
  });

  it('rolls back the whole file when a statement fails', async () => {
    const folder = folderWith({ '9001_half.sql': 'create table half (n int);\nselect 1 / 0;\n' });
    await expect(migrate(world.pool, { folder })).rejects.toThrow('Migration 9001_half.sql failed: division by zero');
    expect((await sql`select to_regclass('half') as half`.execute(world.db)).rows).toEqual([{ half: null }]);
  });

  it('runs each paragraph separately with the header "-- no transaction"', async () => {
    const folder = folderWith({
      '9001_index.sql':
        '-- no transaction\n\ncreate table if not exists grown (n int);\n\n-- Comment.\ncreate index concurrently grown_n on grown (n);\n',
    });
    expect(await migrate(world.pool, { folder })).toEqual(['9001_index.sql']);
    expect((await sql`select indisvalid from pg_index where indexrelid = 'grown_n'::regclass`.execute(world.db)).rows).toEqual([
      { indisvalid: true },
    ]);
  });

  it('logs which process is migrating while it waits, and continues when that process is done', async () => {
    const other = await sessionWith('select pg_advisory_lock(7355771)');
    const lines: string[] = [];
    const log = (line: string) => {
      lines.push(line);
      if (lines.length === 2) void other.end();
    };
    expect(await migrate(world.pool, { log })).toEqual([]);
    expect(lines[0]).toMatch(/^Waiting for another migration: process \d+ \(somebody.*\), connected since .* \(try 1 of 60\)\.$/);
  });

  it('logs which process holds the lock that the migration waits for, stops waiting, and retries', async () => {
    const other = await sessionWith('begin; lock table app_user in access share mode');
    const named = /^9001_wait\.sql: Waiting for a lock on app_user held by process \d+ \(somebody.*\) \(try \d+ of 60\)\.$/;
    const lines: string[] = [];
    const log = (line: string) => {
      lines.push(line);
      if (lines.length >= 2 && lines.some((each) => named.test(each))) void other.end();
    };
    const folder = folderWith({ '9001_wait.sql': 'alter table app_user add column nothing text;\n' });
    expect(await migrate(world.pool, { folder, log })).toEqual(['9001_wait.sql']);
    expect(lines[1]).toMatch(/\(try 2 of 60\)\.$/);
    await sql`alter table app_user drop column nothing`.execute(world.db);
  });

  it('refuses a migration file that was edited after it was applied', async () => {
    await sql`update schema_migration set hash = 'other' where name = '0001_accounts.sql'`.execute(world.db);
    await expect(migrate(world.pool)).rejects.toThrow('0001_accounts.sql was applied with other content');
    await expect(requireSchema(world.pool)).rejects.toThrow('0001_accounts.sql was applied with other content');
  });
});

describe('a database of release 0.1', () => {
  const refusal = /^This database was created by release 0\.1\. Its schema cannot be upgraded, and nothing was changed\./;
  let pool: pg.Pool;
  let drop = async (): Promise<void> => undefined;

  beforeEach(async () => {
    const database = await createDatabaseOn(inject('serverUrl'));
    drop = database.drop;
    pool = new pg.Pool({ connectionString: database.url });
  });
  afterEach(async () => {
    await pool.end();
    await drop();
  });

  /** Every relation, column and row of the database. */
  async function contents(): Promise<unknown[]> {
    const { rows } = await pool.query(
      `select table_name, column_name, data_type from information_schema.columns where table_schema = 'public' order by 1, 2`,
    );
    return [...rows, ...(await pool.query('select * from schema_migration, app_user')).rows];
  }

  const firstTables = `create table schema_migration (name text primary key, hash text not null, applied_at timestamptz not null default now());
                       create table app_user (id bigint, name text); insert into app_user values (1, 'Ana')`;

  it.each([
    [
      'whose history has no releases',
      `insert into schema_migration values ('0001_accounts.sql', 'other'), ('0005_event_pages.sql', 'other')`,
    ],
    [
      'whose history names release 0.1',
      `alter table schema_migration add column release text, add column oldest_release text;
       insert into schema_migration values ('0001_accounts.sql', 'other', now(), '0.1.0')`,
    ],
    [
      'whose last migration is unknown and claims to work with this release',
      `alter table schema_migration add column release text, add column oldest_release text;
       insert into schema_migration values ('0022_retention.sql', 'other', now(), '0.1.3', '0.1.0')`,
    ],
  ])('%s is refused by every command and stays unchanged', async (_, history) => {
    await pool.query(`${firstTables}; ${history}`);
    const before = await contents();
    await expect(migrate(pool)).rejects.toThrow(refusal);
    await expect(requireSchema(pool)).rejects.toThrow(refusal);
    await expect(requireSchema(pool)).rejects.toThrow('set DATA_DIR to an empty folder');
    expect(await contents()).toEqual(before);
  });

  it('control: the same database without that history is migrated', async () => {
    await pool.query(`${firstTables}; drop table schema_migration, app_user`);
    expect(await migrate(pool)).toEqual(readMigrations(migrationFolder).map(({ name }) => name));
    await requireSchema(pool);
  });
});

describe('the table audit_log', () => {
  it.each(['update audit_log set operation = null', 'delete from audit_log', 'truncate audit_log'])('refuses %s', async (statement) => {
    await expect(world.pool.query(statement)).rejects.toThrow('append-only');
  });
});
