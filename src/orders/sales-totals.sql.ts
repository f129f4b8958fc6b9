import { sql } from 'kysely';
import type { Statement } from '../postgres/pipeline.ts';

interface TotalKey {
  event_id: number;
  item_id: number;
  session_ids: readonly number[];
  app_category_id: number;
  method: string;
  price: number;
}

export interface SalesTotal extends TotalKey {
  tickets: number;
  first_at: Date;
  last_at: Date;
  producer: number;
  platform: number;
  fee_sale: number;
}

/** The key columns of each row must differ, because one statement cannot change a row twice. */
export const addSales = (totals: readonly SalesTotal[]): Statement => sql`
  insert into sales_total as total (event_id, item_id, session_ids, app_category_id, method, price, tickets, first_at, last_at,
                                    producer, platform, fee_sale)
  select * from json_to_recordset(${JSON.stringify(totals)}) as s (
    event_id bigint, item_id bigint, session_ids bigint[], app_category_id int, method text, price bigint, tickets bigint,
    first_at timestamptz, last_at timestamptz, producer bigint, platform bigint, fee_sale bigint)
  order by event_id, item_id, session_ids, app_category_id, method, price
  on conflict (event_id, item_id, session_ids, app_category_id, method, price) do update set
    tickets = total.tickets + excluded.tickets, first_at = least(total.first_at, excluded.first_at),
    last_at = greatest(total.last_at, excluded.last_at), producer = total.producer + excluded.producer,
    platform = total.platform + excluded.platform, fee_sale = total.fee_sale + excluded.fee_sale`;

/** Adds refunded tickets and subtracts their money. The sale has written the rows. */
export const subtractSales = (totals: readonly SalesTotal[]): Statement => sql`
  update sales_total total set refunded = total.refunded + r.tickets, producer = total.producer - r.producer,
         platform = total.platform - r.platform, fee_sale = total.fee_sale - r.fee_sale
    from json_to_recordset(${JSON.stringify(totals)}) as r (
      event_id bigint, item_id bigint, session_ids bigint[], app_category_id int, method text, price bigint, tickets bigint,
      producer bigint, platform bigint, fee_sale bigint)
   where total.event_id = any(${totals.map(({ event_id }) => event_id)}::bigint[])
     and total.item_id = any(${totals.map(({ item_id }) => item_id)}::bigint[])
     and total.event_id = r.event_id and total.item_id = r.item_id and total.session_ids = r.session_ids
     and total.app_category_id = r.app_category_id and total.method = r.method and total.price = r.price`;
