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
            from ledger_posting where reason not in ('sale', 'refund') group by 1, 2)
        select format('order %s returned %s, but the ledger has %s into and %s out of suspense', order_id, coalesce(d.amount, 0), coalesce(b.came, 0),
                      coalesce(b.went, 0)) as line
          from due d full join booked b using (event_id, order_id)
         where (coalesce(d.amount, 0), coalesce(d.amount, 0)) is distinct from (coalesce(b.came, 0), coalesce(b.went, 0))`,
  );

/**
 * Compares the received and returned amounts of settled payments with the records of the sandbox. Refunds of tickets are returned amounts
 * too.
 */
export const paymentsAgainstSandbox = (tx: Tx): Promise<string[]> =>
  findingsOf(
    tx,
    sql`select format('payment %s of order %s is %s with %s received and %s returned, but the sandbox has %s, %s and %s', p.reference, p.order_id, p.status,
                      p.received, p.returned + back.amount, coalesce(c.status, 'nothing'), coalesce(c.paid, 0), coalesce(c.returned, 0)) as line
          from payment p left join sandbox_charge c on c.reference = p.reference,
               lateral (select coalesce(sum(l.refunded * (l.price + l.fee_sale)), 0) as amount from order_line l
                         where p.status = 'approved' and l.event_id = p.event_id and l.order_id = p.order_id) back
         where p.reference is not null and p.status in ('approved', 'refunded')
           and (p.received, p.returned + back.amount) is distinct from (c.paid, c.returned)`,
  );

/** Returns notices that failed. Until such a notice is applied, the buyer may have paid without getting tickets or a refund. */
export const failedNotices = (tx: Tx): Promise<string[]> =>
  findingsOf(
    tx,
    sql`select format('notice %s (%s %s, payment %s) %s; retry it with "tessera notices retry %s"', id, event, amount, reference, outcome, id) as line
          from payment_notice where status = 'failed' order by id`,
  );

export const noticesAgainstPayments = (tx: Tx): Promise<string[]> =>
  findingsOf(
    tx,
    sql`select format('notice %s about %s paid for payment %s was applied, but the payment is %s with another amount', n.notice_id, n.amount, n.reference,
                      coalesce(p.status, 'unknown')) as line
          from payment_notice n left join payment p on p.event_id = n.event_id and p.reference = n.reference
         where n.status = 'applied' and n.event = 'paid' and n.amount is distinct from p.received`,
  );
