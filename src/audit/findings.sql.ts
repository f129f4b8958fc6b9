import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';

const maxLines = 100;

/** Postings of sales, refunds and returned payments, without the fees of providers and disputes. */
export const isOfSale = sql.raw(`reason not in ('provider_fee', 'dispute', 'dispute_fee')`);

/** Returns the findings of a check, one line each. Returns at most 100 lines, which is enough to start an investigation. */
export async function findingsOf(tx: Tx, query: RawBuilder<unknown>): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`/* all events */ ${query}`.execute(tx);
  return rows.slice(0, maxLines).map(({ line }) => line);
}
