import { sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';
import type { OldRows } from '../postgres/delete-old-rows.ts';
import { isStale } from './jobs.sql.ts';

export const oldExports = (before: Date): OldRows => ({
  table: 'export',
  where: sql`finished_at < ${before} and file_key is null`,
  age: 'finished_at',
  keyedByEvent: true,
});

export async function countStale(tx: Tx, at: Date): Promise<number> {
  const { rows } = await sql<{ n: number }>`/* all events */ select count(*) as n from export where ${isStale(at)}`.execute(tx);
  return rows[0]?.n ?? 0;
}
