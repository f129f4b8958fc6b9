import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { holderOfLock, watchBlockers } from './lock-holders.ts';
import { type Migration, migrationFolder, missingFrom, readHistory, readMigrations, release, SchemaError } from './migrations.ts';

/** An arbitrary number. No other advisory lock in this database may use the same number. */
const migrationLock = 7_355_771;

/**
 * While a migration waits for the lock of a table, all queries on that table wait behind the migration. So a migration waits only briefly
 * and then retries.
 */
const lockTimeoutMs = 2_000;
const maxTries = 60;
const minPauseMs = 250;
const maxPauseMs = 5_000;

export interface MigrateOptions {
  folder?: string;
  /** Called with a line of text whenever the migration waits. */
  log?: (line: string) => void;
  /** 0 disables the timeout. Only tests set this, to show why the timeout is needed. */
  lockTimeoutMs?: number;
}

interface Session {
  client: pg.PoolClient;
  pool: pg.Pool;
  log: (line: string) => void;
  lockTimeoutMs: number;
}

/** Applies the missing migrations, in one process at a time. The service may be running. Returns the names of the applied migrations. */
export async function migrate(pool: pg.Pool, options: MigrateOptions = {}): Promise<string[]> {
  const client = await pool.connect();
  const session = { client, pool, log: options.log ?? (() => undefined), lockTimeoutMs: options.lockTimeoutMs ?? lockTimeoutMs };
  try {
    // Statements have no timeout, because building an index on a large table may take hours.
    await client.query('set statement_timeout = 0');
    await acquireMigrationLock(session);
    return await applyMissing(session, readMigrations(options.folder ?? migrationFolder));
  } finally {
    // Closing the connection releases the lock and resets the settings.
    client.release(true);
  }
}

/**
 * Polls instead of waiting in the database. A waiting statement holds a snapshot, and `create index concurrently` in the other process
 * would wait for that snapshot: a deadlock.
 */
async function acquireMigrationLock({ client, log }: Session): Promise<void> {
  for (let tries = 1; ; tries++) {
    const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock($1) as held', [migrationLock]);
    if (rows[0]?.held) return;
    const holder = await holderOfLock(client, migrationLock);
    if (tries === maxTries) throw new SchemaError(`Another migration is still running: ${holder}. Wait for it to end, then try again.`);
    log(`Waiting for another migration: ${holder} (try ${tries} of ${maxTries}).`);
    await pause(tries);
  }
}

const pause = (tries: number): Promise<void> =>
  sleep(Math.min(maxPauseMs, minPauseMs * 2 ** Math.min(tries - 1, 10)) * (0.5 + Math.random() / 2));

async function applyMissing(session: Session, known: readonly Migration[]): Promise<string[]> {
  const { client } = session;
  const history = await readHistory(client);
  const missing = missingFrom(history ?? [], known);
  if (missing.length === 0) return [];
  await client.query(
    `create table if not exists schema_migration (
       name text primary key, hash text not null, applied_at timestamptz not null default now(), release text not null, oldest_release text)`,
  );
  for (const migration of missing) {
    try {
      await (migration.transactional ? applyInTransaction(session, migration) : applyInSteps(session, migration));
    } catch (error) {
      throw new Error(`Migration ${migration.name} failed: ${(error as Error).message}`, { cause: error });
    }
  }
  return missing.map(({ name }) => name);
}

const applyInTransaction = (session: Session, migration: Migration): Promise<void> =>
  retryOnLockFailure(session, migration.name, async () => {
    const { client } = session;
    await client.query('begin');
    try {
      await client.query(`set local lock_timeout = ${session.lockTimeoutMs}`);
      await client.query(migration.sql);
      await recordApplied(client, migration);
      await client.query('commit');
    } catch (error) {
      await client.query('rollback');
      throw error;
    }
  });

const isConcurrent = (statements: string): boolean => /\bconcurrently\b/i.test(statements);

/**
 * Runs each paragraph separately. Several statements in one paragraph are one transaction. An interrupted migration starts again with its
 * first paragraph, so all paragraphs but the last must be repeatable. A `concurrently` statement blocks no other session, so it has no lock
 * timeout.
 */
async function applyInSteps(session: Session, migration: Migration): Promise<void> {
  const { client } = session;
  const steps = migration.sql
    .split(/\n[ \t]*\n/)
    .map((step) => step.replaceAll(/^--.*$/gm, '').trim())
    .filter((step) => step !== '');
  const last = steps.at(-1) ?? '';
  for (const step of isConcurrent(last) ? steps : steps.slice(0, -1)) {
    await retryOnLockFailure(session, migration.name, async () => {
      await client.query(`set lock_timeout = ${isConcurrent(step) ? 0 : session.lockTimeoutMs}`);
      await client.query(step);
    });
  }
  if (isConcurrent(last)) await recordApplied(client, migration);
  else await applyInTransaction(session, { ...migration, sql: last });
}

const recordApplied = (client: pg.PoolClient, { name, hash, oldestRelease }: Migration) =>
  client.query('insert into schema_migration (name, hash, release, oldest_release) values ($1, $2, $3, $4)', [
    name,
    hash,
    release,
    oldestRelease,
  ]);

async function retryOnLockFailure({ client, pool, log }: Session, name: string, work: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    let reported = false;
    const watch = await watchBlockers(pool, client, (blockers) => {
      reported = true;
      log(`${name}: ${blockers} (try ${tries} of ${maxTries}).`);
    });
    try {
      await work();
      return;
    } catch (error) {
      if (!isLockFailure(error)) throw error;
      if (tries === maxTries) throw new SchemaError(`it got no lock in ${maxTries} tries. Nothing was changed. Try again later.`);
      if (!reported) log(`${name}: Waiting for a lock (try ${tries} of ${maxTries}).`);
    } finally {
      watch.stop();
    }
    await pause(tries);
  }
}

/** Whether the error is a lock timeout or a deadlock. */
const isLockFailure = (error: unknown): boolean => error instanceof pg.DatabaseError && ['55P03', '40P01'].includes(error.code ?? '');
