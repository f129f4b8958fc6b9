import { sql } from 'kysely';
import type { Statement } from '../postgres/pipeline.ts';

/** The tickets of one item that were ordered and sold in a quarter of an hour. */
export interface SalesQuarter {
  event_id: number;
  quarter: Date;
  item_id: number;
  ordered: number;
  tickets: number;
  /** What the buyers paid, in cents. */
  paid: number;
}

/** The key columns of each row must differ, because one statement cannot change a row twice. */
export const addQuarters = (quarters: readonly SalesQuarter[]): Statement => sql`
  insert into sales_quarter as total (event_id, quarter, item_id, ordered, tickets, paid)
  select * from json_to_recordset(${JSON.stringify(quarters)}) as q (
    event_id bigint, quarter timestamptz, item_id bigint, ordered bigint, tickets bigint, paid bigint)
  order by event_id, quarter, item_id
  on conflict (event_id, quarter, item_id) do update set
    ordered = total.ordered + excluded.ordered, tickets = total.tickets + excluded.tickets, paid = total.paid + excluded.paid`;
