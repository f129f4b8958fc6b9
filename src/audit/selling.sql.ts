import { sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';
import { findingsOf, isOfSale } from './findings.sql.ts';

/** Sums up sold and held tickets over all order lines once, and compares the sums with every counter. */
export const countersAgainstLines = (tx: Tx): Promise<string[]> =>
  findingsOf(
    tx,
    sql`with counted as materialized (
          select l.event_id, l.item_id, l.session_ids, l.unlocked, o.app_category_id, o.passkey_id,
                 sum(case when o.status in ('approved', 'refunded') then l.quantity - l.restocked else 0 end) as sold,
                 sum(case when o.status = 'held' then l.quantity else 0 end) as held
            from order_line l join ticket_order o on o.event_id = l.event_id and o.id = l.order_id
           where o.status in ('held', 'approved', 'refunded') group by 1, 2, 3, 4, 5, 6),
        counter (event_id, name, sold, held) as (
          select event_id, format('item %s', id), sold, held from item where type <> 'group'
          union all select event_id, format('sale period %s of item %s', app_category_id, item_id), sold, held from sale_period
          union all select event_id, format('session %s', id), sold, held from event_session
          union all select event_id, format('passkey %s', id), used, held from passkey),
        sums as (
          select event_id, name, sum(sold) as sold, sum(held) as held
            from counted, lateral (
                   select format('item %s', item_id)
                   union all select format('sale period %s of item %s', app_category_id, item_id)
                   union all select format('session %s', session_id) from unnest(session_ids) as session_id
                   union all select format('passkey %s', passkey_id) where unlocked and passkey_id is not null) as counts (name)
           group by 1, 2)
        select format('%s counts %s sold and %s held, but its orders have %s and %s', name, c.sold, c.held, coalesce(s.sold, 0), coalesce(s.held, 0)) as line
          from counter c left join sums s using (event_id, name)
         where (c.sold, c.held) is distinct from (coalesce(s.sold, 0), coalesce(s.held, 0))`,
  );

export const ticketsAgainstLines = (tx: Tx): Promise<string[]> =>
  findingsOf(
    tx,
    sql`with issued as (
          select event_id, order_id, item_id, count(*) as tickets, count(*) filter (where status = 'valid') as valid from ticket group by 1, 2, 3),
        due as (
          select l.event_id, l.order_id, l.item_id, case when o.approved_at is null then 0 else l.quantity end as tickets,
                 case when o.approved_at is null then 0 else l.quantity - l.refunded end as valid
            from order_line l join ticket_order o on o.event_id = l.event_id and o.id = l.order_id)
        select format('order %s has %s tickets of item %s, %s of them valid, instead of %s and %s', d.order_id, coalesce(i.tickets, 0), d.item_id,
                      coalesce(i.valid, 0), d.tickets, d.valid) as line
          from due d left join issued i using (event_id, order_id, item_id)
         where (d.tickets, d.valid) is distinct from (coalesce(i.tickets, 0), coalesce(i.valid, 0))`,
  );

export const ticketsAgainstOrders = (tx: Tx): Promise<string[]> =>
  findingsOf(
    tx,
    sql`select format('ticket %s is for sessions %s and holder %s, but its order %s is for %s and %s', t.id, t.session_ids, coalesce(t.holder, 'nobody'), o.id,
                      l.session_ids, coalesce(o.buyer_name, 'nobody')) as line
          from ticket t
          join order_line l on l.event_id = t.event_id and l.order_id = t.order_id and l.item_id = t.item_id
          join ticket_order o on o.event_id = t.event_id and o.id = t.order_id
         where t.session_ids <> l.session_ids or t.holder is distinct from o.buyer_name`,
  );

export const codesAgainstTickets = (tx: Tx): Promise<string[]> =>
  findingsOf(
    tx,
    sql`select format('code %s of item %s is assigned but on no ticket', c.id, c.item_id) as line
          from external_code c left join ticket t on t.event_id = c.event_id and t.external_code_id = c.id where c.status = 'assigned' and t.id is null
        union all
        select format('ticket %s of item %s has code %s, which has status %s and belongs to item %s', t.id, t.item_id, c.id, c.status, c.item_id)
          from ticket t join external_code c on c.event_id = t.event_id and c.id = t.external_code_id where c.status = 'available' or c.item_id <> t.item_id`,
  );

export const totalsAgainstLines = (tx: Tx): Promise<string[]> =>
  findingsOf(
    tx,
    sql`with sums as (select event_id, order_id, sum(quantity * (price + fee_sale)) as total, sum(quantity - refunded) as kept
                        from order_line group by 1, 2)
        select format('order %s is %s with total %s, but its lines cost %s, and %s tickets are not refunded', o.id, o.status, o.total, s.total, s.kept) as line
          from ticket_order o left join sums s on s.event_id = o.event_id and s.order_id = o.id
         where o.total is distinct from s.total or (o.status = 'refunded') <> (o.approved_at is not null and s.kept = 0)`,
  );

export const paymentsAgainstOrders = (tx: Tx): Promise<string[]> =>
  findingsOf(
    tx,
    sql`with paid as (select event_id, order_id, sum(amount) as amount from payment where status = 'approved' group by 1, 2)
        select format('order %s is %s with total %s, but %s was paid for it', o.id, o.status, o.total, coalesce(p.amount, 0)) as line
          from ticket_order o left join paid p on p.event_id = o.event_id and p.order_id = o.id
         where coalesce(p.amount, 0) <> case when o.approved_at is null then 0 else o.total end`,
  );

/**
 * Compares the balance of each order on each account with its lines. The balance must be the price and the fees of the tickets that are not
 * refunded. Free orders have no postings. Other checks compare the fees of providers and the disputes.
 */
export const ledgerAgainstLines = (tx: Tx): Promise<string[]> =>
  findingsOf(
    tx,
    sql`with booked as (
          select event_id, order_id, account, sum(moved) as amount
            from ledger_posting, lateral (values (source, -amount), (target, amount)) as side (account, moved)
           where ${isOfSale} group by 1, 2, 3),
        kept as (
          select l.event_id, l.order_id, sum((l.quantity - l.refunded) * (l.price - l.fee_producer)) as producer,
                 sum((l.quantity - l.refunded) * (l.fee_sale + l.fee_producer)) as platform
            from order_line l join ticket_order o on o.event_id = l.event_id and o.id = l.order_id where o.approved_at is not null and o.total > 0
           group by 1, 2),
        due as (
          select k.event_id, k.order_id, account, side.amount
            from kept k left join payment p on p.event_id = k.event_id and p.order_id = k.order_id and p.status = 'approved',
                 lateral (values ('producer', producer), ('platform', platform), ('payment:' || p.method, -producer - platform))
                         as side (account, amount)
           where side.amount <> 0)
        select format('order %s changed the ledger account %s by %s instead of %s', order_id, account, coalesce(b.amount, 0), coalesce(d.amount, 0)) as line
          from booked b full join due d using (event_id, order_id, account)
         where coalesce(b.amount, 0) <> coalesce(d.amount, 0)`,
  );

export const linesAgainstEntries = (tx: Tx): Promise<string[]> =>
  findingsOf(
    tx,
    sql`with due as (select event_id, line_id, sum(quantity) as waiting from waiting_entry where status = 'waiting' group by 1, 2)
        select format('waiting line %s of item %s counts %s tickets, but its people wait for %s', l.id, l.item_id, l.waiting, coalesce(d.waiting, 0)) as line
          from waiting_line l left join due d on d.event_id = l.event_id and d.line_id = l.id
         where l.waiting <> coalesce(d.waiting, 0)`,
  );

/** Compares the counts per network and item with the held orders. These counts decide whether a buyer must solve a challenge. */
export const networksAgainstOrders = (tx: Tx): Promise<string[]> =>
  findingsOf(
    tx,
    sql`with due as (
          select o.event_id, o.network, l.item_id, sum(l.quantity) as held
            from ticket_order o join order_line l on l.event_id = o.event_id and l.order_id = o.id
           where o.status = 'held' and o.network is not null group by 1, 2, 3)
        select format('a network counts %s held tickets of item %s, but its orders hold %s', coalesce(n.held, 0), item_id, coalesce(d.held, 0)) as line
          from network_hold n full join due d using (event_id, network, item_id)
         where coalesce(n.held, 0) <> coalesce(d.held, 0)`,
  );
