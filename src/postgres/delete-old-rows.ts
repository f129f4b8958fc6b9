import { type RawBuilder, sql } from 'kysely';
import type { Tx } from './database.ts';

/** The rows of a table that are no longer needed. */
export interface OldRows {
  table: string;
  where: RawBuilder<unknown>;
  /** The indexed column by which the oldest rows are deleted first. Null when the order does not matter. */
  age: string | null;
}

export async function countOldRows(tx: Tx, { table, where }: OldRows): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(table)} where ${where}`.execute(tx);
  return rows[0]?.n ?? 0;
}

/** Deletes up to `limit` rows, the oldest first. Skips rows that another transaction has locked. Returns the number of deleted rows. */
export async function deleteOldRows(tx: Tx, { table, where, age }: OldRows, limit: number): Promise<number> {
  const order = age === null ? sql`` : sql`order by ${sql.ref(age)}`;
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)} where ctid = any(array(
      select ctid from ${sql.table(table)} where ${where} ${order} limit ${limit} for update skip locked))`.execute(tx);
  return Number(numAffectedRows ?? 0);
}
