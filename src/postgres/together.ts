import { type RawBuilder, sql } from 'kysely';
import type { Tx } from './database.ts';

/** One INSERT, UPDATE or DELETE that nobody waits to read the result of, or rows that some of them write from. */
export type Statement = RawBuilder<unknown>;

/**
 * Carries out the statements in one journey to the database, as parts of one: while locks are held, each journey is time that others
 * wait. All see the data as it was before the first of them, so that no two may write the same row: one of them would be lost.
 * Constraints are checked after the last. What several of them write from is `given` once, under a name.
 */
export async function together(tx: Tx, statements: readonly Statement[], given: Given = {}): Promise<void> {
  if (statements.length > 0) await asOne(statements, given).execute(tx);
}

export type Given = Readonly<Record<string, Statement>>;

export function asOne(statements: readonly Statement[], given: Given = {}): Statement {
  const sources = Object.entries(given).map(([name, rows]) => sql`${sql.ref(name)} as materialized (${rows})`);
  const parts = statements.map((statement, i) => sql`${sql.raw(`part${i}`)} as (${statement})`);
  return sql`with ${sql.join([...sources, ...parts])} select`;
}
