import { type CompiledQuery, type RawBuilder, sql } from 'kysely';
import type { Database, Tx } from './database.ts';
import { onConnection, type PipelinedConnection } from './pipelined-connection.ts';

/** A SQL statement whose rows have no declared type. Most are writes, whose result is not read. */
export type Statement = RawBuilder<unknown>;

/** Part of a pipeline: statements that run in order, and a function that turns their rows into a result. */
export interface Step<T> {
  statements: readonly RawBuilder<unknown>[];
  /** Receives the rows of each statement. */
  read(rows: readonly unknown[][]): T;
}

/**
 * Runs the statements of all steps in order, in one round trip to the database. Each statement has its own snapshot, so a statement after a
 * lock reads the data that was committed while it waited for the lock.
 */
export async function runPipeline<const S extends readonly Step<unknown>[]>(
  tx: Database | Tx,
  steps: S,
): Promise<{ -readonly [K in keyof S]: S[K] extends Step<infer T> ? T : never }> {
  const statements = steps.flatMap((step) => step.statements);
  const runAll = (connection: PipelinedConnection) =>
    Promise.all(statements.map(async (each) => (await connection.query(prepared(each.compile(tx)))).rows as unknown[]));
  const rows = statements.length === 0 ? [] : await onConnection(tx, runAll);
  let first = 0;
  const results = steps.map((step) => {
    const own = rows.slice(first, first + step.statements.length);
    first += step.statements.length;
    return step.read(own);
  });
  return results as never;
}

/** Returns the rows of a statement that runs very often. The database plans the statement once per connection. */
export async function queryPrepared<R>(db: Database | Tx, statement: RawBuilder<R>): Promise<R[]> {
  const [rows] = await runPipeline(db, [{ statements: [statement], read: ([rows = []]) => rows as R[] }]);
  return rows;
}

/** Runs the statements in order, in one round trip. With fewer round trips, other transactions wait less for the locks of this transaction. */
export async function executeAll(tx: Tx, statements: readonly Statement[]): Promise<void> {
  const [last] = statements.slice(-1);
  if (!last) return;
  await onConnection(tx, async (connection) => {
    for (const each of statements.slice(0, -1)) connection.send(each.compile(tx));
    await connection.query(last.compile(tx));
    return [];
  });
}

/**
 * Sends the last statements of a transaction without waiting for their results. The commit follows in the same round trip, and fails if one
 * of the statements fails. Code that runs after this call must not depend on their results.
 */
export async function sendWithCommit(tx: Tx, statements: readonly Statement[]): Promise<void> {
  if (statements.length === 0) return;
  await onConnection(tx, async (connection) => {
    for (const each of statements) connection.send(prepared(each.compile(tx)));
    return [];
  });
}

/** Citus must know the values of the parameters to choose the node of a statement, so it refuses generic plans. */
const planCacheMode = sql`case when current_setting('citus.version', true) is null then 'force_generic_plan' else 'auto' end`;

/**
 * Makes the transaction use an index instead of scanning a whole table. PostgreSQL keeps the plan of a prepared statement. A plan that was
 * made while the table was empty would still scan the table after it has grown.
 */
export const withoutTableScans: Step<null> = settings('enable_seqscan');

/** Like `withoutTableScans`, and also reads rows in the order of the index instead of sorting them. */
export const byIndex: Step<null> = settings('enable_seqscan', 'enable_bitmapscan', 'enable_sort');

function settings(...off: string[]): Step<null> {
  const each = off.map((name) => sql`set_config(${sql.lit(name)}, 'off', true)`);
  return { statements: [sql`select set_config('plan_cache_mode', ${planCacheMode}, true), ${sql.join(each)}`], read: () => null };
}

const names = new Map<string, string>();

/** A prepared statement needs a name. The same text gets the same name, so the statement is parsed and planned once per connection. */
function prepared({ sql, parameters }: CompiledQuery): Parameters<PipelinedConnection['send']>[0] {
  const name = names.get(sql) ?? `tessera ${names.size}`;
  names.set(sql, name);
  return { sql, parameters, name };
}
