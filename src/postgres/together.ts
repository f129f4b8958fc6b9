import { type RawBuilder, sql } from 'kysely';
import type { Tx } from './database.ts';

/** One INSERT, UPDATE or DELETE that nobody waits to read the result of. */
export type Statement = RawBuilder<unknown>;

/**
 * Carries out the statements in one journey to the database, as parts of one: while locks are held, each journey is time that others
 * wait. All see the data as it was before the first of them, so that no two may write the same row: one of them would be lost.
 * Constraints are checked after the last.
 */
export async function together(tx: Tx, statements: readonly Statement[]): Promise<void> {
  if (statements.length > 0) await asOne(statements).execute(tx);
}

export function asOne(statements: readonly Statement[]): Statement {
  const parts = statements.map((statement, i) => sql`${sql.raw(`part${i}`)} as (${statement})`);
  return sql`with ${sql.join(parts)} select`;
}
