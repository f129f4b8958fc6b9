import { sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';
import { findingsOf } from './findings.sql.ts';

/** Compares the balance of each order on each account. Only disputes that are not won have taken money. Fees are not returned. */
export const disputesAgainstLedger = (tx: Tx): Promise<string[]> =>
  findingsOf(
    tx,
    sql`with due as (
          select d.event_id, d.order_id, account, sum(moved) as amount
            from payment_dispute d join payment p on p.event_id = d.event_id and p.id = d.payment_id,
                 lateral (select case when d.status = 'won' then 0 else d.amount end as withdrawn) w,
                 lateral (values ('producer', -w.withdrawn - d.fee), ('payment:' || p.method, w.withdrawn),
                                 ('fee:' || p.provider || ':' || p.method, d.fee)) as side (account, moved)
           group by 1, 2, 3),
        booked as (
          select event_id, order_id, account, sum(moved) as amount
            from ledger_posting, lateral (values (source, -amount), (target, amount)) as side (account, moved)
           where reason in ('dispute', 'dispute_fee') group by 1, 2, 3)
        select format('the disputes of order %s must change the ledger account %s by %s, but they changed it by %s', order_id, account,
                      coalesce(d.amount, 0), coalesce(b.amount, 0)) as line
          from due d full join booked b using (event_id, order_id, account) where coalesce(d.amount, 0) <> coalesce(b.amount, 0)`,
  );

/** While a dispute is open, the proof of the refund can still win it. */
export const disputesAgainstRefunds = (tx: Tx): Promise<string[]> =>
  findingsOf(
    tx,
    sql`select format('dispute %s takes %s of order %s, but %s of %s received was refunded too; send the proof of the refund to %s', d.provider_id,
                      d.amount, d.order_id, back.amount, p.received, p.provider) as line
          from payment_dispute d join payment p on p.event_id = d.event_id and p.id = d.payment_id,
               lateral (select coalesce(sum(r.amount), 0) as amount from refund r
                         where r.event_id = d.event_id and r.order_id = d.order_id and r.payment_id = d.payment_id and r.status <> 'failed') back
         where d.status = 'open' and d.amount + back.amount > p.received order by d.id`,
  );

/** The door reads only the ticket, so each ticket repeats whether its payment is disputed. */
export const ticketsAgainstDisputes = (tx: Tx): Promise<string[]> =>
  findingsOf(
    tx,
    sql`with stopped as (
          select distinct d.event_id, d.order_id from payment_dispute d join payment p on p.event_id = d.event_id and p.id = d.payment_id
           where d.status <> 'won' and p.status = 'approved')
        select format('ticket %s of order %s is not disputed, but a dispute of its order is not won', t.id, t.order_id) as line
          from stopped s join ticket t on t.event_id = s.event_id and t.order_id = s.order_id where not t.disputed
        union all
        select format('ticket %s of order %s is disputed, but no dispute of its order is open or lost', t.id, t.order_id)
          from ticket t left join stopped s on s.event_id = t.event_id and s.order_id = t.order_id where t.disputed and s.order_id is null`,
  );
