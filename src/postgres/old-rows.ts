import { type RawBuilder, sql } from 'kysely';
import type { Tx } from './database.ts';

/** Rows that are no longer needed. */
export interface OldRows {
  table: string;
  where: RawBuilder<unknown>;
  /** The column by which the oldest go first, which has an index; null where the order does not matter. */
  age: string | null;
}

export async function countOld(tx: Tx, { table, where }: OldRows): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(table)} where ${where}`.execute(tx);
  return rows[0]?.n ?? 0;
}

/** Deletes the oldest, at most so many, except those that another transaction works on. Returns how many. */
export async function deleteOld(tx: Tx, { table, where, age }: OldRows, most: number): Promise<number> {
  const order = age === null ? sql`` : sql`order by ${sql.ref(age)}`;
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)} where ctid = any(array(
      select ctid from ${sql.table(table)} where ${where} ${order} limit ${most} for update skip locked))`.execute(tx);
  return Number(numAffectedRows ?? 0);
}
