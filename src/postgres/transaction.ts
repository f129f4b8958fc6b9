import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { type Problem, retryLater } from '../kernel/problem.ts';
import type { Database, Tx } from './database.ts';
import { sendWithCommit } from './pipeline.ts';
import { onConnection } from './pipelined-connection.ts';
import { ReadOnlyViolation, sqlState } from './unavailable.ts';

const maxAttempts = 5;

export interface TransactionOptions {
  readOnly?: boolean;
  /** With `repeatable read`, writing a row that has changed since the transaction began fails, and the transaction is retried. */
  isolation?: 'read committed' | 'repeatable read';
  /** Do not retry after a conflict. For work whose input is a stream that cannot be read twice. */
  once?: boolean;
  /** Constraints that are violated only when another transaction was faster. A violation is treated as a conflict. */
  raceConstraints?: readonly string[];
  /** A lock timeout that is shorter than the default of the connection. */
  lockTimeoutMs?: number | undefined;
  /** If the transaction takes longer, its connection is dropped. */
  deadlineMs?: number | undefined;
  /** Names the transaction in the log of the server, for example by the id of the request. */
  label?: string | undefined;
}

/** Runs `work` in one transaction. After a conflict with another transaction, `work` runs again, up to five times in all. */
export async function inTransaction<T>(
  db: Database,
  options: TransactionOptions,
  work: (tx: Tx, attempt: number) => Promise<T>,
): Promise<T> {
  const transaction = db
    .transaction()
    .setIsolationLevel(options.isolation ?? 'read committed')
    .setAccessMode(options.readOnly ? 'read only' : 'read write');
  const attempts = options.once ? 1 : maxAttempts;
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction.execute(async (kyselyTx) => {
        const tx: Tx = Object.assign(kyselyTx, { secrets: db.secrets });
        if (options.deadlineMs !== undefined || options.label !== undefined) await prepare(tx, options);
        if (options.lockTimeoutMs !== undefined) await setLockTimeout(tx, options.lockTimeoutMs);
        return work(tx, attempt);
      });
    } catch (error) {
      if (options.readOnly && sqlState(error) === '25006') throw new ReadOnlyViolation((error as Error).message, { cause: error });
      if (!isTransactionConflict(error, options.raceConstraints)) throw error;
      if (attempt === attempts) throw retryLater('overloaded', 1, 'Too many concurrent changes to the same data. Try again.');
      await sleep(Math.random() * 20 * attempt);
    }
  }
}

/** The setting is sent without waiting, so that it shares a round trip with the next statement. */
const setLockTimeout = (tx: Tx, ms: number): Promise<void> =>
  sendWithCommit(tx, [sql`select set_config('lock_timeout', ${`${ms}ms`}, true)`]);

async function prepare(tx: Tx, { deadlineMs, label }: TransactionOptions): Promise<void> {
  await onConnection(tx, async (connection) => {
    if (deadlineMs !== undefined) connection.setDeadline(deadlineMs);
    if (label !== undefined) connection.setLabel(label);
    return [];
  });
}

/** Allows the queries of the transaction to take longer. The caller also raises the timeout of the server. */
export async function allowLongQueries(tx: Tx, ms: number): Promise<void> {
  await onConnection(tx, async (connection) => {
    connection.setQueryTimeout(ms);
    return [];
  });
}

/** If `work` throws, only its own changes are rolled back. Calls may be nested, because each savepoint is released at the end. */
export async function inSavepoint<T>(tx: Tx, work: () => Promise<T>): Promise<T> {
  await sql`savepoint work`.execute(tx);
  try {
    const result = await work();
    await sql`release savepoint work`.execute(tx);
    return result;
  } catch (error) {
    await sql`rollback to savepoint work`.execute(tx);
    await sql`release savepoint work`.execute(tx);
    throw error;
  }
}

/** Whether the error is a serialization failure, a deadlock, or a violation of one of the given constraints. */
export const isTransactionConflict = (error: unknown, raceConstraints: readonly string[] = []): boolean =>
  ['40001', '40P01'].includes(sqlState(error)) || raceConstraints.includes(constraintOf(error));

/** Citus returns the name only in the message, followed by the number of the shard. */
const constraintOf = (error: unknown): string =>
  error instanceof pg.DatabaseError ? (error.constraint ?? /constraint "(.+)_\d+"/.exec(error.message)?.[1] ?? '') : '';

/** For `.catch()`: throws the problem that `problems` has for the violated constraint. The transaction is aborted in any case. */
export const constraintToProblem =
  (problems: Readonly<Record<string, () => Problem>>) =>
  (error: unknown): never => {
    throw problems[constraintOf(error)]?.() ?? error;
  };

/** Makes the server format times as `2026-11-20 20:00:00`, independent of the server's default. */
export async function withIsoDates(tx: Tx): Promise<void> {
  await sql`select set_config('datestyle', 'ISO, YMD', true)`.execute(tx);
}

/** Takes an advisory lock until the end of the transaction. Returns false if another transaction holds it. */
export async function tryLock(tx: Tx, lock: number): Promise<boolean> {
  const { rows } = await sql<{ held: boolean }>`select pg_try_advisory_xact_lock(${lock}) as held`.execute(tx);
  return rows[0]?.held === true;
}
