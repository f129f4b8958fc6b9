import { sql } from 'kysely';
import type { Tx } from './database.ts';

/** Moves every sequence forward. A sequence that was never used starts after the gap too. Returns how many sequences there are. */
export async function skipIds(tx: Tx, by: number): Promise<number> {
  const { rows } = await sql`
    select setval(format('%I.%I', schemaname, sequencename)::regclass, coalesce(last_value, start_value) + ${by}::bigint)
      from pg_sequences where schemaname = current_schema()`.execute(tx);
  return rows.length;
}
