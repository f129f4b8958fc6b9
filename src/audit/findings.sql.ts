import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';

const maxLines = 100;

/** Returns the findings of a check, one line each. Returns at most 100 lines, which is enough to start an investigation. */
export async function findingsOf(tx: Tx, query: RawBuilder<unknown>): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`/* all events */ ${query}`.execute(tx);
  return rows.slice(0, maxLines).map(({ line }) => line);
}
