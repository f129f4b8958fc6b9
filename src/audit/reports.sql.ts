import { sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';
import { findingsOf } from './findings.sql.ts';

/** Compares sums over all payment methods, because order lines do not have a payment method. */
export const salesAgainstLines = (tx: Tx): Promise<string[]> =>
  findingsOf(
    tx,
    sql`with kept as (
          select event_id, item_id, session_ids, app_category_id, price, min(first_at) as first, max(last_at) as last,
                 array[sum(tickets), sum(refunded), sum(producer + platform - fee_sale), sum(fee_sale)] as sums
            from sales_total group by 1, 2, 3, 4, 5),
        counted as (
          select l.event_id, l.item_id, l.session_ids, o.app_category_id, l.price, min(o.approved_at) as first, max(o.approved_at) as last,
                 array[sum(l.quantity), sum(l.refunded), sum((l.quantity - l.refunded) * l.price), sum((l.quantity - l.refunded) * l.fee_sale)] as sums
            from order_line l join ticket_order o on o.event_id = l.event_id and o.id = l.order_id where o.approved_at is not null
           group by 1, 2, 3, 4, 5)
        select format('item %s for sessions %s at %s through %s: reports show %s from %s to %s, but its orders have %s from %s to %s',
                      item_id, session_ids, price, app_category_id, k.sums, k.first, k.last, c.sums, c.first, c.last) as line
          from kept k full join counted c using (event_id, item_id, session_ids, app_category_id, price)
         where (k.sums, k.first, k.last) is distinct from (c.sums, c.first, c.last)`,
  );

export const quartersAgainstLines = (tx: Tx): Promise<string[]> =>
  findingsOf(
    tx,
    sql`select format('item %s at %s: charts show %s tickets ordered, %s sold for %s, but its orders have %s, %s and %s', item_id, quarter,
                      k.ordered, k.tickets, k.paid, c.ordered, c.tickets, c.paid) as line
          from sales_quarter k full join sales_quarter_recount c using (event_id, quarter, item_id)
         where (k.ordered, k.tickets, k.paid) is distinct from (c.ordered, c.tickets, c.paid)`,
  );

/** Compares the amounts for producer and platform by payment method, and checks that each row has the price of its own tickets. */
export const salesAgainstLedger = (tx: Tx): Promise<string[]> =>
  findingsOf(
    tx,
    sql`with kept as (
          select event_id, item_id, method, sum(producer) as producer, sum(platform) as platform from sales_total group by 1, 2, 3),
        booked as (
          select event_id, item_id, substr(case when source like 'payment:%' then source else target end, 9) as method,
                 sum(case 'producer' when target then amount when source then -amount else 0 end) as producer,
                 sum(case 'platform' when target then amount when source then -amount else 0 end) as platform
            from ledger_posting where item_id is not null group by 1, 2, 3)
        select format('item %s paid by %s: reports show %s for the producer and %s for the platform, but the ledger has %s and %s', item_id, method,
                      coalesce(k.producer, 0), coalesce(k.platform, 0), coalesce(b.producer, 0), coalesce(b.platform, 0)) as line
          from kept k full join booked b using (event_id, item_id, method)
         where (coalesce(k.producer, 0), coalesce(k.platform, 0)) <> (coalesce(b.producer, 0), coalesce(b.platform, 0))
        union all
        select format('item %s for sessions %s at %s through %s, %s: %s tickets do not match a gross amount of %s', item_id, session_ids, price, app_category_id, method,
                      tickets - refunded, producer + platform - fee_sale)
          from sales_total where (tickets - refunded) * price <> producer + platform - fee_sale or tickets < refunded`,
  );

/** The accounts are `fee:<provider>:<method>` and `payment:<method>`. */
export const feesAgainstReports = (tx: Tx): Promise<string[]> =>
  findingsOf(
    tx,
    sql`with moved as (
          select event_id, reason, regexp_replace(case when cost then target else source end, '^.*:', '') as method,
                 case when cost then amount else -amount end as amount
            from ledger_posting, lateral (select source in ('producer', 'platform') as cost) c
           where reason in ('provider_fee', 'dispute', 'dispute_fee')),
        booked as (
          select event_id, method, array[coalesce(sum(amount) filter (where reason = 'provider_fee'), 0),
                                         coalesce(sum(amount) filter (where reason = 'dispute_fee'), 0),
                                         coalesce(sum(amount) filter (where reason = 'dispute'), 0)] as sums
            from moved group by 1, 2),
        kept as (select event_id, method, array[fee, dispute_fee, disputed]::numeric[] as sums from fee_total)
        select format('event %s, %s: reports show fees, dispute fees and disputed money of %s, but the ledger has %s', event_id, method, k.sums, b.sums) as line
          from kept k full join booked b using (event_id, method) where k.sums is distinct from b.sums`,
  );

export const entriesAgainstAdmissions = (tx: Tx): Promise<string[]> =>
  findingsOf(
    tx,
    sql`select format('item %s in session %s at %s, gate %s: reports show %s entries, but there are %s admissions', item_id, session_id, quarter, gate, k.entries, c.entries)
               as line
          from entry_total k full join entry_recount c using (event_id, item_id, session_id, quarter, gate)
         where coalesce(k.entries, 0) <> coalesce(c.entries, 0)
        union all
        select format('item %s in session %s: reports show %s guests who have left, but there are %s', item_id, session_id, k.away, c.away)
          from away_total k full join away_recount c using (event_id, item_id, session_id) where coalesce(k.away, 0) <> coalesce(c.away, 0)
        union all
        select format('item %s: reports show %s checked tickets, but there are %s admissions', item_id, k.checked, c.checked)
          from guest_total k full join guest_recount c using (event_id, item_id) where coalesce(k.checked, 0) <> coalesce(c.checked, 0)
        union all
        select format('item %s: ticket %s or code %s is %s as a guest who may return, but %s', coalesce(k.item_id, c.item_id), ticket, code,
                      case when k.item_id is null then 'not stored' else 'stored' end,
                      case when c.item_id is null then 'was not admitted' else 'was admitted' end)
          from (select event_id, item_id, coalesce(ticket_id, 0) as ticket, coalesce(external_code_id, 0) as code from returning_guest) k
          full join (select distinct a.event_id, a.item_id, coalesce(a.ticket_id, 0) as ticket, coalesce(a.external_code_id, 0) as code
                       from admission a
                       join item i on i.event_id = a.event_id and i.id = a.item_id
                       left join ticket t on t.event_id = a.event_id and t.id = a.ticket_id
                      where i.type in ('passport', 'external') and t.status is distinct from 'refunded') c using (event_id, ticket, code)
         where k.item_id is distinct from c.item_id`,
  );
