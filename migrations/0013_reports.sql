-- What the reports show, counted while it happens, so that a report costs the same after a million tickets as after a few. Nobody but the
-- triggers below writes here. The ledger, the lines and the check-ins stay the truth: `audit` counts these sums again from them.

-- Connections count on rows of their own, a few of the same meaning, so that nobody waits for another; a reader adds them up.
create function counting_row() returns smallint language sql stable return (pg_backend_pid() % 32)::smallint;

create table sales_total (
  event_id        bigint not null,
  item_id         bigint not null,
  -- As on the lines: one, or all that a passport is for.
  session_ids     bigint[] not null,
  app_category_id integer not null,
  -- How the order was paid; `free` where it cost nothing.
  method          text not null,
  price           bigint not null,
  counting_row    smallint not null,
  tickets         bigint not null default 0 check (tickets >= 0),
  -- Of all connections together never more than tickets.
  refunded        bigint not null default 0 check (refunded >= 0),
  first_at        timestamptz,
  last_at         timestamptz,
  -- What is left with the producer and with the platform, and what of the latter was added to the buyer.
  producer        bigint not null default 0,
  platform        bigint not null default 0,
  fee_sale        bigint not null default 0,
  primary key (event_id, item_id, session_ids, app_category_id, method, price, counting_row),
  foreign key (event_id, item_id) references item (event_id, id)
) with (fillfactor = 50);

-- How an order was paid, as the ledger has it.
create function method_of(of_event bigint, of_order bigint) returns text language sql stable
  return coalesce((select substr(case when source like 'payment:%' then source else target end, 9) from ledger_posting
                    where event_id = of_event and order_id = of_order and reason = 'sale' limit 1), 'free');

-- The same sums from what they are the sums of.
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

-- The functions go by the keys whatever the tables look like: the plan that a connection makes while they are small is kept for its life.

create function count_tickets_sold() returns trigger language plpgsql
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  insert into sales_total as total (event_id, item_id, session_ids, app_category_id, method, price, counting_row, tickets, first_at, last_at)
  select t.event_id, t.item_id, l.session_ids, o.app_category_id, method_of(t.event_id, t.order_id), l.price, counting_row(), sum(t.tickets),
         min(t.first_at), max(t.last_at)
    from (select event_id, order_id, item_id, count(*) as tickets, min(created_at) as first_at, max(created_at) as last_at
            from inserted group by 1, 2, 3) t
    join order_line l on l.event_id = t.event_id and l.order_id = t.order_id and l.item_id = t.item_id
    join ticket_order o on o.event_id = t.event_id and o.id = t.order_id
   group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6
  on conflict (event_id, item_id, session_ids, app_category_id, method, price, counting_row) do update
    set tickets = total.tickets + excluded.tickets, first_at = least(total.first_at, excluded.first_at),
        last_at = greatest(total.last_at, excluded.last_at);
  return null;
end $$;
create trigger ticket_counted after insert on ticket referencing new table as inserted
  for each statement execute function count_tickets_sold();

create function count_tickets_refunded() returns trigger language plpgsql
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  insert into sales_total as total (event_id, item_id, session_ids, app_category_id, method, price, counting_row, refunded)
  select l.event_id, l.item_id, l.session_ids, o.app_category_id, method_of(l.event_id, l.order_id), l.price, counting_row(), 1
    from order_line l join ticket_order o on o.event_id = l.event_id and o.id = l.order_id
   where l.event_id = new.event_id and l.order_id = new.order_id and l.item_id = new.item_id
  on conflict (event_id, item_id, session_ids, app_category_id, method, price, counting_row) do update
    set refunded = total.refunded + 1;
  return null;
end $$;
create trigger ticket_refund_counted after update of status on ticket
  for each row when (old.status = 'valid' and new.status = 'refunded') execute function count_tickets_refunded();

create function count_money() returns trigger language plpgsql
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  insert into sales_total as total (event_id, item_id, session_ids, app_category_id, method, price, counting_row, producer, platform, fee_sale)
  select p.event_id, p.item_id, l.session_ids, o.app_category_id, method_of(p.event_id, p.order_id), l.price, counting_row(),
         sum(case 'producer' when p.target then p.amount when p.source then -p.amount else 0 end),
         sum(case 'platform' when p.target then p.amount when p.source then -p.amount else 0 end),
         sum(case 'platform' when p.target then p.quantity when p.source then -p.quantity else 0 end * l.fee_sale)
    from inserted p
    join order_line l on l.event_id = p.event_id and l.order_id = p.order_id and l.item_id = p.item_id
    join ticket_order o on o.event_id = p.event_id and o.id = p.order_id
   group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6
  on conflict (event_id, item_id, session_ids, app_category_id, method, price, counting_row) do update
    set producer = total.producer + excluded.producer, platform = total.platform + excluded.platform,
        fee_sale = total.fee_sale + excluded.fee_sale;
  return null;
end $$;
create trigger ledger_posting_counted after insert on ledger_posting referencing new table as inserted
  for each statement execute function count_money();

-- What was sold before there was this table.
insert into sales_total (event_id, item_id, session_ids, app_category_id, method, price, counting_row, tickets, refunded, first_at, last_at,
                         producer, platform, fee_sale)
select event_id, item_id, session_ids, app_category_id, method, price, 0, tickets, refunded, first_at, last_at, producer, platform, fee_sale
  from sales_recount;
