import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type Migration, migrationFolder, missingFrom, readHistory, readMigrations, release, SchemaError } from './migrations.ts';
import { holderOfLock, watchBlockers } from './waiting.ts';

/** Any number that no other program uses for the same purpose on the same database. */
const migrationLock = 7_355_771;

/** While a migration waits for a table's lock, everybody who uses the table queues behind it. So it waits briefly and tries again. */
const lockTimeoutMs = 2_000;
const mostTries = 60;
const shortestPauseMs = 250;
const longestPauseMs = 5_000;

export interface MigrateOptions {
  folder?: string;
  /** Gets a line for every wait. */
  log?: (line: string) => void;
  /** 0 waits without end: only to show what that does. */
  lockTimeoutMs?: number;
}

interface Session {
  client: pg.PoolClient;
  pool: pg.Pool;
  log: (line: string) => void;
  lockTimeoutMs: number;
}

/** Applies what is not applied yet, one process at a time, while the service runs. Returns the names of what it applied. */
export async function migrate(pool: pg.Pool, options: MigrateOptions = {}): Promise<string[]> {
  const client = await pool.connect();
  const session = { client, pool, log: options.log ?? (() => undefined), lockTimeoutMs: options.lockTimeoutMs ?? lockTimeoutMs };
  try {
    // Building an index takes as long as it takes.
    await client.query('set statement_timeout = 0');
    await lockOutOthers(session);
    return await applyMissing(session, readMigrations(options.folder ?? migrationFolder));
  } finally {
    // The session's lock and settings go with the connection.
    client.release(true);
  }
}

/**
 * Polls instead of waiting in the database: a statement that waits has a snapshot, and `create index concurrently` in the other process
 * would wait for that.
 */
async function lockOutOthers({ client, log }: Session): Promise<void> {
  for (let tries = 1; ; tries++) {
    const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock($1) as held', [migrationLock]);
    if (rows[0]?.held) return;
    const holder = await holderOfLock(client, migrationLock);
    if (tries === mostTries) throw new SchemaError(`Another migration still runs: ${holder}. Wait for it to end, then try again.`);
    log(`Waiting for another migration: ${holder} (try ${tries} of ${mostTries}).`);
    await pause(tries);
  }
}

const pause = (tries: number): Promise<void> =>
  sleep(Math.min(longestPauseMs, shortestPauseMs * 2 ** Math.min(tries - 1, 10)) * (0.5 + Math.random() / 2));

async function applyMissing(session: Session, known: readonly Migration[]): Promise<string[]> {
  const { client } = session;
  const history = await readHistory(client);
  const missing = missingFrom(history ?? [], known);
  if (missing.length === 0) return [];
  await client.query(
    `create table if not exists schema_migration (
       name text primary key, hash text not null, applied_at timestamptz not null default now());
     alter table schema_migration add column if not exists release text, add column if not exists oldest_release text`,
  );
  for (const migration of missing) {
    try {
      await (migration.transactional ? applyWhole(session, migration) : applyInSteps(session, migration));
    } catch (error) {
      throw new Error(`Migration ${migration.name} failed: ${(error as Error).message}`, { cause: error });
    }
  }
  return missing.map(({ name }) => name);
}

const applyWhole = (session: Session, migration: Migration): Promise<void> =>
  retryWithoutLock(session, migration.name, async () => {
    const { client } = session;
    await client.query('begin');
    try {
      await client.query(`set local lock_timeout = ${session.lockTimeoutMs}`);
      await client.query(migration.sql);
      await note(client, migration);
      await client.query('commit');
    } catch (error) {
      await client.query('rollback');
      throw error;
    }
  });

const isConcurrent = (statements: string): boolean => /\bconcurrently\b/i.test(statements);

/**
 * Each paragraph by itself; several statements in one paragraph are one transaction. A migration that breaks off begins again with its
 * first paragraph, so all but the last must be repeatable. Nobody queues behind a `concurrently`, so it may wait as long as it takes.
 */
async function applyInSteps(session: Session, migration: Migration): Promise<void> {
  const { client } = session;
  const steps = migration.sql
    .split(/\n[ \t]*\n/)
    .map((step) => step.replaceAll(/^--.*$/gm, '').trim())
    .filter((step) => step !== '');
  const last = steps.at(-1) ?? '';
  for (const step of isConcurrent(last) ? steps : steps.slice(0, -1)) {
    await retryWithoutLock(session, migration.name, async () => {
      await client.query(`set lock_timeout = ${isConcurrent(step) ? 0 : session.lockTimeoutMs}`);
      await client.query(step);
    });
  }
  if (isConcurrent(last)) await note(client, migration);
  else await applyWhole(session, { ...migration, sql: last });
}

const note = (client: pg.PoolClient, { name, hash, oldestRelease }: Migration) =>
  client.query('insert into schema_migration (name, hash, release, oldest_release) values ($1, $2, $3, $4)', [
    name,
    hash,
    release,
    oldestRelease,
  ]);

async function retryWithoutLock({ client, pool, log }: Session, name: string, work: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    let reported = false;
    const watch = await watchBlockers(pool, client, (blockers) => {
      reported = true;
      log(`${name}: ${blockers} (try ${tries} of ${mostTries}).`);
    });
    try {
      await work();
      return;
    } catch (error) {
      if (!gotNoLock(error)) throw error;
      if (tries === mostTries) throw new SchemaError(`it got no lock in ${mostTries} tries. Nothing was changed. Try again later.`);
      if (!reported) log(`${name}: Waiting for a lock (try ${tries} of ${mostTries}).`);
    } finally {
      watch.stop();
    }
    await pause(tries);
  }
}

/** Lock timeout, deadlock. */
const gotNoLock = (error: unknown): boolean => error instanceof pg.DatabaseError && ['55P03', '40P01'].includes(error.code ?? '');
