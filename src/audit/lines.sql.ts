import type { sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';

const most = 100;

/** What a check found, the first of it: whoever has a hundred differences needs no more to begin with. */
export async function lines(tx: Tx, query: ReturnType<typeof sql<{ line: string }>>): Promise<string[]> {
  const { rows } = await query.execute(tx);
  return rows.slice(0, most).map(({ line }) => line);
}
