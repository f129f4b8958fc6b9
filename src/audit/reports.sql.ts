import { sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';
import { lines } from './lines.sql.ts';

export const salesAgainstLedger = (tx: Tx): Promise<string[]> =>
  lines(
    tx,
    sql`with kept as (
          select event_id, item_id, session_ids, app_category_id, method, price,
                 array[sum(tickets), sum(refunded), sum(producer), sum(platform), sum(fee_sale)] as sums, min(first_at) as first, max(last_at) as last
            from sales_total group by 1, 2, 3, 4, 5, 6),
        counted as (
          select event_id, item_id, session_ids, app_category_id, method, price,
                 array[tickets, refunded, producer, platform, fee_sale]::numeric[] as sums, first_at as first, last_at as last from sales_recount)
        select format('item %s for sessions %s at %s through %s, %s: reports show %s from %s to %s, the ledger and the lines %s from %s to %s',
                      item_id, session_ids, price, app_category_id, method, k.sums, k.first, k.last, c.sums, c.first, c.last) as line
          from kept k full join counted c using (event_id, item_id, session_ids, app_category_id, method, price)
         where (k.sums, k.first, k.last) is distinct from (c.sums, c.first, c.last)`,
  );

export const entriesAgainstAdmissions = (tx: Tx): Promise<string[]> =>
  lines(
    tx,
    sql`select format('item %s in session %s at %s: reports show %s entries, admissions say %s', item_id, session_id, quarter, k.entries, c.entries)
               as line
          from entry_total k full join entry_recount c using (event_id, item_id, session_id, quarter)
         where coalesce(k.entries, 0) <> coalesce(c.entries, 0)
        union all
        select format('item %s: reports show %s tickets checked, admissions say %s', item_id, k.checked, c.checked)
          from guest_total k full join guest_recount c using (event_id, item_id) where coalesce(k.checked, 0) <> coalesce(c.checked, 0)`,
  );
