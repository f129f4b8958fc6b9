import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
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

const applied = (name: string, by: string | null, oldest: string | null) =>
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
    const folder = folderWith({ '9001_note.sql': '-- Why.\n-- oldest release: 0.1.0\nselect 1;\n' });
    expect(await migrate(world.pool, { folder })).toEqual(['9001_note.sql']);
    const { rows } = await sql`select release, oldest_release from schema_migration where name = '9001_note.sql'`.execute(world.db);
    expect(rows).toEqual([{ release, oldest_release: '0.1.0' }]);
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

describe('the table audit_log', () => {
  it.each(['update audit_log set operation = null', 'delete from audit_log', 'truncate audit_log'])('refuses %s', async (statement) => {
    await expect(world.pool.query(statement)).rejects.toThrow('append-only');
  });
});
