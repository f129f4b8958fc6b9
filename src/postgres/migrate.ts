import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';

/** Any number that no other program uses for the same purpose on the same database. */
const migrationLock = 7_355_771;

const folder = fileURLToPath(new URL('../../migrations', import.meta.url));

interface Migration {
  name: string;
  sql: string;
  hash: string;
}

function readMigrations(): Migration[] {
  return readdirSync(folder)
    .filter((name) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name))
    .toSorted()
    .map((name) => {
      const sql = readFileSync(join(folder, name), 'utf8');
      return { name, sql, hash: createHash('sha256').update(sql).digest('hex') };
    });
}

/** Applies what is not applied yet, one transaction a file, one process at a time. Answers the names of what it applied. */
export async function migrate(pool: pg.Pool): Promise<string[]> {
  const client = await pool.connect();
  try {
    // Waits for another process that migrates, and indexes may take their time.
    await client.query('set lock_timeout = 0; set statement_timeout = 0');
    await client.query('select pg_advisory_lock($1)', [migrationLock]);
    return await applyMissing(client);
  } finally {
    // The session's lock and settings go with the connection.
    client.release(true);
  }
}

async function applyMissing(client: pg.PoolClient): Promise<string[]> {
  await client.query(
    `create table if not exists schema_migration (
       name text primary key, hash text not null, applied_at timestamptz not null default now())`,
  );
  const { rows } = await client.query<{ name: string; hash: string }>('select name, hash from schema_migration');
  const applied = new Map(rows.map((row) => [row.name, row.hash]));
  const known = readMigrations();
  refuseForeignHistory(applied, known);
  const missing = known.filter(({ name }) => !applied.has(name));
  for (const { name, sql, hash } of missing) {
    await client.query('begin');
    try {
      await client.query(sql);
      await client.query('insert into schema_migration (name, hash) values ($1, $2)', [name, hash]);
      await client.query('commit');
    } catch (error) {
      await client.query('rollback');
      throw new Error(`Migration ${name} failed: ${(error as Error).message}`, { cause: error });
    }
  }
  return missing.map(({ name }) => name);
}

/** A file that changed after it was applied, or one that this release does not know, means the schema is not what we think. */
function refuseForeignHistory(applied: ReadonlyMap<string, string>, known: Migration[]): void {
  const hashes = new Map(known.map(({ name, hash }) => [name, hash]));
  for (const [name, hash] of applied) {
    if (!hashes.has(name)) throw new Error(`The database has migration ${name}, which this release does not know: use a newer release`);
    if (hashes.get(name) !== hash)
      throw new Error(`Migration ${name} was applied with other content: migrations are never edited once landed`);
  }
}
