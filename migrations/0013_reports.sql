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
  perform forget_entries(new.event_id, new.id, new.item_id);
  return null;
end $$;
create trigger ticket_refund_counted after update of status on ticket
  for each row when (old.status = 'valid' and new.status = 'refunded') execute function count_tickets_refunded();

create function count_money() returns trigger language plpgsql
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  insert into sales_total as total (event_id, item_id, session_ids, app_category_id, method, price, counting_row, producer, platform, fee_sale)
  select p.event_id, p.item_id, l.session_ids, o.app_category_id, p.method, l.price, counting_row(), sum(p.producer), sum(p.platform),
         sum(p.units * l.fee_sale)
    from (select event_id, order_id, item_id, substr(case when source like 'payment:%' then source else target end, 9) as method,
                 sum(case 'producer' when target then amount when source then -amount else 0 end) as producer,
                 sum(case 'platform' when target then amount when source then -amount else 0 end) as platform,
                 sum(case 'platform' when target then quantity when source then -quantity else 0 end) as units
            from inserted where item_id is not null group by 1, 2, 3, 4) p
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

-- Who came in. Scans of an event are decided one batch after the other (its row of `door` is locked), so that one row of each meaning will do.

-- How many came in, by session (0 where the event has none) and quarter of an hour, of which the hours of every time zone are made.
create table entry_total (
  event_id   bigint not null,
  item_id    bigint not null,
  session_id bigint not null,
  quarter    timestamptz not null,
  entries    bigint not null,
  primary key (event_id, item_id, session_id, quarter)
) with (fillfactor = 50);

-- How many of the tickets of an item have been in at all.
create table guest_total (
  event_id bigint not null,
  item_id  bigint not null,
  checked  bigint not null,
  primary key (event_id, item_id)
) with (fillfactor = 50);

-- Those inside whose ticket admits once in each of several sessions: here once, so that they are counted once.
create table returning_guest (
  event_id         bigint not null,
  ticket_id        bigint,
  external_code_id bigint,
  item_id          bigint not null,
  constraint returning_guest_once unique nulls not distinct (event_id, ticket_id, external_code_id)
);

create function quarter_of(at timestamptz) returns timestamptz language sql immutable
  return date_bin('15 minutes', at, timestamptz '2000-01-01 00:00:00Z');

-- The same counts from the admissions; a ticket that was refunded is no guest, even if it has been in.
create view entry_recount as
  select a.event_id, a.item_id, coalesce(a.session_id, 0) as session_id, quarter_of(a.at) as quarter, count(*) as entries
    from admission a left join ticket t on t.event_id = a.event_id and t.id = a.ticket_id
   where not a.undone and t.status is distinct from 'refunded' group by 1, 2, 3, 4;
create view guest_recount as
  select event_id, item_id, count(*) as checked
    from (select distinct a.event_id, a.item_id, a.ticket_id, a.external_code_id
            from admission a left join ticket t on t.event_id = a.event_id and t.id = a.ticket_id
           where not a.undone and t.status is distinct from 'refunded') inside group by 1, 2;

-- Each change is an admission that came to count (by = 1) or counts no more (by = -1).
create type entry_change as (
  event_id bigint, ticket_id bigint, external_code_id bigint, session_id bigint, item_id bigint, at timestamptz, by integer);

create function count_entries(changes entry_change[]) returns void language plpgsql
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  with moved as materialized (
    select c.*, i.type in ('passport', 'external') as returns
      from (select event_id, item_id, coalesce(session_id, 0) as session_id, quarter_of(at) as quarter, sum(by) as by
              from unnest(changes) group by 1, 2, 3, 4) c join item i on i.id = c.item_id),
  hours as (
    insert into entry_total as total (event_id, item_id, session_id, quarter, entries)
    select event_id, item_id, session_id, quarter, by from moved where by <> 0
    on conflict (event_id, item_id, session_id, quarter) do update set entries = total.entries + excluded.entries),
  subject as (
    select c.event_id, c.ticket_id, c.external_code_id, c.item_id,
           exists (select from admission a where a.event_id = c.event_id and a.ticket_id = c.ticket_id and not a.undone)
           or exists (select from admission a where a.event_id = c.event_id and a.ticket_id is null and a.external_code_id = c.external_code_id
                                                and not a.undone) as inside
      from (select distinct event_id, ticket_id, external_code_id, item_id from unnest(changes)
             where item_id in (select item_id from moved where returns)) c),
  came as (
    insert into returning_guest (event_id, ticket_id, external_code_id, item_id)
    select event_id, ticket_id, external_code_id, item_id from subject where inside
    on conflict on constraint returning_guest_once do nothing returning event_id, item_id),
  went as (
    delete from returning_guest g using subject s
     where not s.inside and g.event_id = s.event_id
       and (g.ticket_id = s.ticket_id or g.ticket_id is null and g.external_code_id = s.external_code_id)
    returning g.event_id, g.item_id)
  insert into guest_total as total (event_id, item_id, checked)
  select event_id, item_id, sum(by)
    from (select event_id, item_id, by from moved where not returns
          union all select event_id, item_id, 1 from came union all select event_id, item_id, -1 from went) by_one
   group by 1, 2 having sum(by) <> 0
  on conflict (event_id, item_id) do update set checked = total.checked + excluded.checked;
end $$;

-- No ticket that is refunded is let in, and none is refunded while the door decides.
create function count_admissions() returns trigger language plpgsql as $$
begin
  perform count_entries(array_agg((event_id, ticket_id, external_code_id, session_id, item_id, at, 1)::entry_change))
    from came where not undone having count(*) > 0;
  return null;
end $$;
create trigger admission_counted after insert on admission referencing new table as came
  for each statement execute function count_admissions();

-- An earlier scan takes the place of a later one, maybe in another hour, or one is taken back; what was refunded since counts no more.
create function count_changed_admissions() returns trigger language plpgsql
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  perform count_entries(array_agg((a.event_id, a.ticket_id, a.external_code_id, a.session_id, a.item_id, a.at, a.by)::entry_change))
    from (select *, 1 as by from now_are union all select *, -1 from were) a
    left join ticket t on t.event_id = a.event_id and t.id = a.ticket_id
   where not a.undone and t.status is distinct from 'refunded' having count(*) > 0;
  return null;
end $$;
create trigger admission_change_counted after update on admission referencing old table as were new table as now_are
  for each statement execute function count_changed_admissions();

-- A ticket that is refunded was no guest. Whoever is scanning now is waited for, and whoever scans next sees the refund.
create function forget_entries(of_event bigint, of_ticket bigint, of_item bigint) returns void language plpgsql
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  perform from door where event_id = of_event for share;
  with gone as (
    select coalesce(session_id, 0) as session_id, quarter_of(at) as quarter from admission
     where event_id = of_event and ticket_id = of_ticket and not undone),
  hours as (
    update entry_total e set entries = e.entries - 1 from gone g
     where e.event_id = of_event and e.item_id = of_item and e.session_id = g.session_id and e.quarter = g.quarter),
  returning_no_more as (delete from returning_guest where event_id = of_event and ticket_id = of_ticket)
  update guest_total set checked = checked - 1 where event_id = of_event and item_id = of_item and exists (select from gone);
end $$;

insert into entry_total select * from entry_recount;
insert into guest_total select * from guest_recount;
insert into returning_guest
  select distinct a.event_id, a.ticket_id, a.external_code_id, a.item_id
    from admission a join item i on i.id = a.item_id and i.type in ('passport', 'external')
    left join ticket t on t.event_id = a.event_id and t.id = a.ticket_id
   where not a.undone and t.status is distinct from 'refunded';

-- Scans whose device was without a network.
create index checkin_late on checkin (event_id, session_id) where received_at - at > interval '2 minutes';
