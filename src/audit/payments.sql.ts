import { sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';
import { findingsOf } from './findings.sql.ts';

export const paymentsAgainstTickets = (tx: Tx): Promise<string[]> =>
  findingsOf(
    tx,
    sql`with kept as (select event_id, order_id, sum(received - returned) as amount from payment group by 1, 2),
        worth as (
          select l.event_id, l.order_id, sum(l.refunded * (l.price + l.fee_sale)) as refunded,
                 sum((l.price + l.fee_sale) * (select count(*) from ticket t where t.event_id = l.event_id and t.order_id = l.order_id
                                                                                and t.item_id = l.item_id and t.status = 'valid')) as valid
            from order_line l group by 1, 2)
        select format('order %s was paid %s, but its valid tickets cost %s and %s was refunded', order_id, coalesce(k.amount, 0), w.valid, w.refunded) as line
          from worth w left join kept k using (event_id, order_id) where coalesce(k.amount, 0) <> w.valid + w.refunded`,
  );

/** Money that was returned without buying tickets must have postings into and out of the account `suspense`. */
export const returnsAgainstLedger = (tx: Tx): Promise<string[]> =>
  findingsOf(
    tx,
    sql`with due as (select event_id, order_id, sum(returned) as amount from payment where returned > 0 group by 1, 2),
        booked as (
          select event_id, order_id, sum(amount) filter (where target = 'suspense') as came, sum(amount) filter (where source = 'suspense') as went
            from ledger_posting where reason in ('overpaid', 'underpaid', 'late', 'duplicate', 'cancelled', 'sold_out') group by 1, 2)
        select format('order %s returned %s, but the ledger has %s into and %s out of suspense', order_id, coalesce(d.amount, 0), coalesce(b.came, 0),
                      coalesce(b.went, 0)) as line
          from due d full join booked b using (event_id, order_id)
         where (coalesce(d.amount, 0), coalesce(d.amount, 0)) is distinct from (coalesce(b.came, 0), coalesce(b.went, 0))`,
  );

/** Every amount that goes back to a buyer must have refunds: of money that bought nothing, and of refunded tickets. */
export const refundsAgainstPayments = (tx: Tx): Promise<string[]> =>
  findingsOf(
    tx,
    sql`with back as (
          select event_id, order_id, sum(amount) as amount
            from (select event_id, order_id, returned as amount from payment where returned > 0
                  union all select l.event_id, l.order_id, l.refunded * (l.price + l.fee_sale) from order_line l
                   where l.refunded > 0 and l.price + l.fee_sale > 0) b group by 1, 2),
        written as (select event_id, order_id, sum(amount) as amount from refund group by 1, 2)
        select format('order %s must return %s, but its refunds are %s', order_id, coalesce(b.amount, 0), coalesce(w.amount, 0)) as line
          from back b full join written w using (event_id, order_id) where b.amount is distinct from w.amount`,
  );

export const failedRefunds = (tx: Tx): Promise<string[]> =>
  findingsOf(
    tx,
    sql`select format('refund %s of order %s failed: %s', id, order_id, failure) as line from refund where status = 'failed' order by id`,
  );

export const feesAgainstLedger = (tx: Tx): Promise<string[]> =>
  findingsOf(
    tx,
    sql`with known as (
          select event_id, order_id, format('fee:%s:%s', provider, method) as account, sum(fee) as amount from payment where fee > 0 group by 1, 2, 3),
        booked as (
          select event_id, order_id, target as account, sum(amount) as amount from ledger_posting where reason = 'provider_fee' group by 1, 2, 3)
        select format('order %s has provider fees of %s, but the ledger has %s on the account %s', order_id, coalesce(k.amount, 0),
                      coalesce(b.amount, 0), account) as line
          from known k full join booked b using (event_id, order_id, account) where k.amount is distinct from b.amount`,
  );

/** Compares the amounts of settled payments, and of refunds that are done, with the records of the sandbox. */
export const paymentsAgainstSandbox = (tx: Tx): Promise<string[]> =>
  findingsOf(
    tx,
    sql`select format('payment %s of order %s is %s with %s received and %s returned, but the sandbox has %s, %s and %s', p.reference, p.order_id, p.status,
                      p.received, back.amount, coalesce(c.status, 'nothing'), coalesce(c.paid, 0), coalesce(c.returned, 0)) as line
          from payment p left join sandbox_charge c on c.reference = p.reference,
               lateral (select coalesce(sum(r.amount), 0) as amount from refund r
                         where r.event_id = p.event_id and r.payment_id = p.id and r.status = 'done' and r.note is null) back
         where p.provider = 'sandbox' and p.reference is not null and p.status in ('approved', 'refunded')
           and (p.received, back.amount) is distinct from (c.paid, c.returned)`,
  );

/** Returns notices that failed. Until such a notice is applied, the buyer may have paid without getting tickets or a refund. */
export const failedNotices = (tx: Tx): Promise<string[]> =>
  findingsOf(
    tx,
    sql`select format('notice %s (%s %s, payment %s) %s; retry it with "tessera notices retry %s"', id, provider, type,
                      coalesce(reference, provider_id), outcome, id) as line
          from payment_notice where status = 'failed' order by id`,
  );

export const noticesAgainstPayments = (tx: Tx): Promise<string[]> =>
  findingsOf(
    tx,
    sql`select format('notice %s about %s paid for payment %s was applied, but the payment is %s with another amount', n.notice_id,
                      n.content -> 'payment' -> 'received', n.reference, coalesce(p.status, 'unknown')) as line
          from payment_notice n left join payment p on p.event_id = n.event_id and p.reference = n.reference
         where n.status = 'applied' and n.content -> 'payment' ->> 'status' = 'paid'
           and (n.content -> 'payment' ->> 'received')::bigint is distinct from p.received`,
  );
