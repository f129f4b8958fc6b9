-- Sums for reports, so that a report takes the same time after a million tickets as after ten. The service changes the sums in the
-- transaction of the sale or the scan. `tessera audit` compares them with the views at the end of this file, which compute the same sums
-- from orders, postings and scans.

-- Sold tickets and money. Whoever changes a row has locked the item, so a sale waits here for nobody else.
create table sales_total (
  event_id        bigint not null,
  item_id         bigint not null,
  -- As in the order lines.
  session_ids     bigint[] not null,
  app_category_id integer not null,
  -- How the orders were paid. `free` for free tickets.
  method          text not null,
  price           bigint not null,
  tickets         bigint not null default 0 constraint sales_total_tickets check (tickets >= 0),
  refunded        bigint not null default 0,
  first_at        timestamptz,
  last_at         timestamptz,
  -- The money that producer and platform keep, and the part of the platform's money that buyers paid on top of the price.
  producer        bigint not null default 0,
  platform        bigint not null default 0,
  fee_sale        bigint not null default 0,
  constraint sales_total_pkey primary key (event_id, item_id, session_ids, app_category_id, method, price),
  constraint sales_total_item foreign key (event_id, item_id) references item (event_id, id),
  constraint sales_total_refunded check (refunded between 0 and tickets)
) with (fillfactor = 50);

-- Orders and sales by the quarter of an hour in which they happened, for charts. The hours of every time zone consist of whole quarters. Refunds
-- change nothing here. Whoever changes a row has locked the item.
create table sales_quarter (
  event_id bigint not null,
  quarter  timestamptz not null,
  item_id  bigint not null,
  -- Tickets of the orders that were placed, whether or not they were paid later.
  ordered  bigint not null default 0 constraint sales_quarter_ordered check (ordered >= 0),
  -- Tickets of the orders that were approved, and what the buyers paid for them.
  tickets  bigint not null default 0 constraint sales_quarter_tickets check (tickets >= 0),
  paid     bigint not null default 0 constraint sales_quarter_paid check (paid >= 0),
  constraint sales_quarter_pkey primary key (event_id, quarter, item_id),
  constraint sales_quarter_item foreign key (event_id, item_id) references item (event_id, id)
) with (fillfactor = 50);

-- What payments have cost, by payment method: the fees of providers, the fees of disputes, and the money that disputes have taken. It is
-- changed together with the postings. Whoever changes a row takes no other lock afterwards, except that of the ticket log.
create table fee_total (
  event_id    bigint not null,
  method      text not null,
  fee         bigint not null,
  dispute_fee bigint not null,
  disputed    bigint not null,
  constraint fee_total_pkey primary key (event_id, method)
) with (fillfactor = 50);

-- How many guests entered, by session (0 if the event has none), quarter of an hour and gate (empty if the device named none). Whoever changes a row has locked the door.
create table entry_total (
  event_id   bigint not null,
  item_id    bigint not null,
  session_id bigint not null,
  quarter    timestamptz not null,
  gate       text collate "C" not null,
  entries    bigint not null,
  constraint entry_total_pkey primary key (event_id, item_id, session_id, quarter, gate)
) with (fillfactor = 50);

-- How many of the guests who entered have left and not come back, by session (0 if the event has none). Only events that allow re-entry have
-- rows. Whoever changes a row has locked the door.
create table away_total (
  event_id   bigint not null,
  item_id    bigint not null,
  session_id bigint not null,
  away       bigint not null,
  constraint away_total_pkey primary key (event_id, item_id, session_id)
) with (fillfactor = 50);

-- How many tickets of an item were used in at least one session.
create table guest_total (
  event_id bigint not null,
  item_id  bigint not null,
  checked  bigint not null,
  constraint guest_total_pkey primary key (event_id, item_id)
) with (fillfactor = 50);

-- The used tickets that are valid in several sessions. Each has one row, so that `guest_total` counts it once.
create table returning_guest (
  event_id         bigint not null,
  ticket_id        bigint,
  external_code_id bigint,
  item_id          bigint not null,
  constraint returning_guest_once unique nulls not distinct (event_id, ticket_id, external_code_id)
);
-- Logical replication must find the row that was deleted, and the table has no primary key.
alter table returning_guest replica identity full;

-- The quarter of an hour of a time.
create function quarter_of(at timestamptz) returns timestamptz language sql immutable
  return date_bin('15 minutes', at, timestamptz '2000-01-01 00:00:00Z');

create view sales_recount as
  with booked as (
    select event_id, order_id, min(substr(case when source like 'payment:%' then source else target end, 9)) filter (where reason = 'sale') as method
      from ledger_posting group by 1, 2),
  moved as (
    select event_id, order_id, item_id,
           sum(case 'producer' when target then amount when source then -amount else 0 end) as producer,
           sum(case 'platform' when target then amount when source then -amount else 0 end) as platform,
           sum(case 'platform' when target then quantity when source then -quantity else 0 end) as units
      from ledger_posting where item_id is not null group by 1, 2, 3)
  select l.event_id, l.item_id, l.session_ids, o.app_category_id, coalesce(b.method, 'free') as method, l.price,
         sum(l.quantity)::bigint as tickets, sum(l.refunded)::bigint as refunded, min(o.approved_at) as first_at, max(o.approved_at) as last_at,
         coalesce(sum(m.producer), 0)::bigint as producer, coalesce(sum(m.platform), 0)::bigint as platform,
         coalesce(sum(m.units * l.fee_sale), 0)::bigint as fee_sale
    from order_line l
    join ticket_order o on o.event_id = l.event_id and o.id = l.order_id
    left join booked b on b.event_id = l.event_id and b.order_id = l.order_id
    left join moved m on m.event_id = l.event_id and m.order_id = l.order_id and m.item_id = l.item_id
   where o.approved_at is not null
   group by 1, 2, 3, 4, 5, 6;

create view sales_quarter_recount as
  select l.event_id, quarter_of(m.at) as quarter, l.item_id, sum(m.ordered)::bigint as ordered, sum(m.tickets)::bigint as tickets, sum(m.paid)::bigint as paid
    from order_line l
    join ticket_order o on o.event_id = l.event_id and o.id = l.order_id
   cross join lateral (values (o.created_at, l.quantity, 0, 0::bigint), (o.approved_at, 0, l.quantity, l.quantity * (l.price + l.fee_sale))) m (at, ordered, tickets, paid)
   where m.at is not null
   group by 1, 2, 3;

-- A refunded ticket is no guest, even if it was used before.
create view entry_recount as
  select a.event_id, a.item_id, coalesce(a.session_id, 0) as session_id, quarter_of(a.at) as quarter, coalesce(a.gate, '') collate "C" as gate, count(*) as entries
    from admission a left join ticket t on t.event_id = a.event_id and t.id = a.ticket_id
   where t.status is distinct from 'refunded' group by 1, 2, 3, 4, 5;
create view away_recount as
  select c.event_id, c.item_id, coalesce(c.session_id, 0) as session_id,
         count(*) filter (where c.state = 'exited') - count(*) filter (where c.state = 'reentered') as away
    from checkin c left join ticket t on t.event_id = c.event_id and t.id = c.ticket_id
   where c.state in ('exited', 'reentered') and t.status is distinct from 'refunded' group by 1, 2, 3;
create view guest_recount as
  select event_id, item_id, count(*) as checked
    from (select distinct a.event_id, a.item_id, a.ticket_id, a.external_code_id
            from admission a left join ticket t on t.event_id = a.event_id and t.id = a.ticket_id
           where t.status is distinct from 'refunded') inside group by 1, 2;
