import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { type Problem, retryLater } from '../kernel/problem.ts';
import type { Database, Tx } from './database.ts';
import { sendWithCommit } from './pipeline.ts';

const mostAttempts = 5;

export interface TransactionOptions {
  readOnly?: boolean;
  /** With `repeatable read`, writing a row that changed after our first look fails and is tried again from the start. */
  isolation?: 'read committed' | 'repeatable read';
  /** For work that cannot start over, as what it read is gone: who loses a race is told to come back. */
  once?: boolean;
  /** Constraints that refuse only who lost a race. */
  raceConstraints?: readonly string[];
  /** How long to wait for a lock, where that is less than usual. */
  lockTimeoutMs?: number | undefined;
}

/** Runs `work` in one transaction; a loser of a race between transactions starts over, a bounded number of times. */
export async function inTransaction<T>(
  db: Database,
  options: TransactionOptions,
  work: (tx: Tx, attempt: number) => Promise<T>,
): Promise<T> {
  const transaction = db
    .transaction()
    .setIsolationLevel(options.isolation ?? 'read committed')
    .setAccessMode(options.readOnly ? 'read only' : 'read write');
  const attempts = options.once ? 1 : mostAttempts;
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction.execute(async (kyselyTx) => {
        const tx: Tx = Object.assign(kyselyTx, { secrets: db.secrets });
        if (options.lockTimeoutMs !== undefined) await setLockTimeout(tx, options.lockTimeoutMs);
        return work(tx, attempt);
      });
    } catch (error) {
      if (!isTransactionConflict(error, options.raceConstraints)) throw error;
      if (attempt === attempts) throw retryLater('overloaded', 1, 'Too many changes at once to the same thing; try again');
      await sleep(Math.random() * 20 * attempt);
    }
  }
}

/** Sent without waiting: the next statement carries it along. */
const setLockTimeout = (tx: Tx, ms: number): Promise<void> =>
  sendWithCommit(tx, [sql`select set_config('lock_timeout', ${`${ms}ms`}, true)`]);

/** Undoes what `work` did in the transaction when it throws, and only that. One may stand in another: each gives its name back. */
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

const sqlState = (error: unknown): string => (error instanceof pg.DatabaseError ? (error.code ?? '') : '');

/** Serialization failure, deadlock. */
export const isTransactionConflict = (error: unknown, raceConstraints: readonly string[] = []): boolean =>
  ['40001', '40P01'].includes(sqlState(error)) || raceConstraints.includes(constraintOf(error));

const constraintOf = (error: unknown): string => (error instanceof pg.DatabaseError ? (error.constraint ?? '') : '');

/** The server or the way to it is gone or full, or a wait ran out: nothing was done, and the caller may try again. */
export function isUnavailable(error: unknown): boolean {
  const state = sqlState(error);
  // Class 08: connection, 53: resources, 57: shutdown and cancelled statements; 55P03: lock timeout, 25P03: idle too long.
  if (/^(08|53|57)/.test(state) || state === '55P03' || state === '25P03') return true;
  if (!(error instanceof Error) || state !== '') return false;
  const { code } = error as NodeJS.ErrnoException;
  return (
    ['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT'].includes(code ?? '') ||
    /timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error|not queryable/.test(
      error.message,
    )
  );
}

/** The wait for a lock ran out. */
export const isLockTimeout = (error: unknown): boolean => sqlState(error) === '55P03';

/** For `.catch()`: what the database refused for the sake of a constraint is the problem named here. The transaction is lost with it. */
export const refusedAs =
  (problems: Readonly<Record<string, () => Problem>>) =>
  (error: unknown): never => {
    throw problems[constraintOf(error)]?.() ?? error;
  };

/** Times are written as `2026-11-20 20:00:00`, whatever the server is set to. */
export async function withIsoDates(tx: Tx): Promise<void> {
  await sql`select set_config('datestyle', 'ISO, YMD', true)`.execute(tx);
}

/** A lock for the length of the transaction, or the answer that somebody else has it. */
export async function tryLock(tx: Tx, lock: number): Promise<boolean> {
  const { rows } = await sql<{ held: boolean }>`select pg_try_advisory_xact_lock(${lock}) as held`.execute(tx);
  return rows[0]?.held === true;
}
