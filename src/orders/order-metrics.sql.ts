import { sql } from 'kysely';
import type { Database } from '../postgres/database.ts';

/** Counts the newest orders, because counting all orders of a time range would need an index of its own. */
export async function countRecentOrders(db: Database): Promise<{ status: string; n: number }[]> {
  const { rows } = await sql<{ status: string; n: number }>`
    /* all events */ select status, count(*) as n
                       from (select status from ticket_order order by id desc limit 1000) as newest group by status`.execute(db);
  return rows;
}
