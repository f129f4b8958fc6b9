import { type CompiledQuery, type RawBuilder, sql } from 'kysely';
import type { Database, Tx } from './database.ts';
import type { Statement } from './together.ts';
import { onWire, type Wire } from './wire.ts';

/** A part of a journey: some statements, each of which sees what those before it did, and what their answers come to. */
export interface Leg<T> {
  statements: readonly RawBuilder<unknown>[];
  /** Given the rows of each statement. */
  read(answers: readonly unknown[][]): T;
}

/**
 * Carries out the statements of all legs one after the other in one journey to the database. Unlike those that are done
 * `together`, each has its own look at the data: what follows a lock is read after the wait for it.
 */
export async function inOneJourney<const L extends readonly Leg<unknown>[]>(
  tx: Database | Tx,
  legs: L,
): Promise<{ -readonly [K in keyof L]: L[K] extends Leg<infer T> ? T : never }> {
  const statements = legs.flatMap((leg) => leg.statements);
  const carryOut = (wire: Wire) =>
    Promise.all(statements.map(async (each) => (await wire.query(named(each.compile(tx)))).rows as unknown[]));
  const answers = statements.length === 0 ? [] : await onWire(tx, carryOut);
  let first = 0;
  const read = legs.map((leg) => {
    const own = answers.slice(first, first + leg.statements.length);
    first += leg.statements.length;
    return leg.read(own);
  });
  return read as never;
}

/** The rows of one statement that is said all the time, in a transaction or not: as a journey of its own it is planned once. */
export async function askOften<R>(db: Database | Tx, statement: RawBuilder<R>): Promise<R[]> {
  const [rows] = await inOneJourney(db, [{ statements: [statement], read: ([rows = []]) => rows as R[] }]);
  return rows;
}

/**
 * From here on the transaction reads no whole table where an index will do. The plan of a named statement is kept: made while a table
 * was empty, it would read the whole of it for each look-up when the table has grown.
 */
export const withoutTableScans: Leg<null> = settings('enable_seqscan');

/** Also takes the order it asks for from the index. */
export const byIndex: Leg<null> = settings('enable_seqscan', 'enable_bitmapscan', 'enable_sort');

function settings(...off: string[]): Leg<null> {
  const each = off.map((name) => sql`set_config(${sql.lit(name)}, 'off', true)`);
  return { statements: [sql`select set_config('plan_cache_mode', 'force_generic_plan', true), ${sql.join(each)}`], read: () => null };
}

/**
 * The last that a transaction does, one statement after the other. They are not waited for: the commit goes with them, and fails if one
 * of them does. Nothing that is done after them may count on them.
 */
export async function lastly(tx: Tx, statements: readonly Statement[]): Promise<void> {
  if (statements.length === 0) return;
  await onWire(tx, async (wire) => {
    for (const each of statements) wire.send(named(each.compile(tx)));
    return [];
  });
}

const names = new Map<string, string>();

/** Journeys are made often and always say the same: as named statements they are planned once for each connection. */
function named({ sql, parameters }: CompiledQuery): Parameters<Wire['send']>[0] {
  const name = names.get(sql) ?? `journey ${names.size}`;
  names.set(sql, name);
  return { sql, parameters, name };
}
