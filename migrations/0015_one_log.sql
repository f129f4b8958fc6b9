-- A scan and who is inside by it are one row: in tables of their own they took half as long again to write. What a scan is worth is its
-- state, by the whole log; all else of it stays as it came.
drop view entry_recount, guest_recount;
drop trigger checkin_append_only on checkin;
alter table checkin
  -- Of the good scans of one ticket in one session that were not taken back the earliest is inside, and every other is double.
  add column state text,
  -- Where in the log its state has changed since it came: as if it came once more there. What devices ask by.
  add column changed_id bigint;
update checkin c
   set state = case when c.result not in ('admitted', 'already_used') then 'refused'
                    when d.nonce is not null then 'double' when not a.undone then 'inside' else 'undone' end,
       changed_id = a.changed_in::text::bigint
  from checkin s
  left join double_entry d on d.event_id = s.event_id and d.nonce = s.nonce
  left join admission a on a.event_id = s.event_id and a.nonce = s.nonce
 where c.event_id = s.event_id and c.id = s.id;
-- Devices have asked by transaction until now; what comes next comes after every transaction.
select setval(pg_get_serial_sequence('checkin', 'id'), greatest(max(id), pg_current_xact_id()::text::bigint)) from checkin having count(*) > 0;
-- As before, and of the state, in as few steps as will do: each is taken for every scan.
alter table checkin
  alter column state set not null,
  drop constraint checkin_nonce_check, drop constraint checkin_gate_check, drop constraint checkin_device_check,
  drop constraint checkin_result_check, drop constraint checkin_subject,
  -- Characters are counted only where there are more bytes than there may be of them.
  add constraint checkin_texts check (
    nonce <> '' and (octet_length(nonce) <= 64 or length(nonce) <= 64) and device <> '' and (octet_length(device) <= 100 or length(device) <= 100)
    and (gate is null or gate <> '' and (octet_length(gate) <= 100 or length(gate) <= 100))),
  add constraint checkin_state check (
    case when state in ('inside', 'double', 'undone') then result in ('admitted', 'already_used') and num_nonnulls(ticket_id, external_code_id) = 1
         when state = 'refused' and result = 'unknown' then num_nonnulls(ticket_id, external_code_id) = 0
         else state = 'refused' and result in ('wrong_session', 'refunded', 'not_yet_valid') and num_nonnulls(ticket_id, external_code_id) = 1 end);
create trigger checkin_append_only
  before update of event_id, nonce, ticket_id, external_code_id, item_id, session_id, at, gate, device, user_id, received_at, result, used_at,
                   used_gate or delete or truncate on checkin
  for each statement execute function refuse_change();

drop table admission, double_entry;
drop function count_admissions, count_changed_admissions, count_entries;
drop type entry_change;

-- Of all that changes who is inside, nothing takes longer than an index of nonces. Whoever is inside is found by their ticket, and has its
-- nonce there; only what does not count is found by its nonce. A scan that is to be taken back is found by its time.
alter table checkin drop constraint checkin_once;
create unique index checkin_once on checkin (event_id, nonce, ticket_id, external_code_id) nulls not distinct where state <> 'inside';
create index checkin_at on checkin using brin (at) with (pages_per_range = 16);
create unique index admission_once on checkin (event_id, ticket_id, external_code_id, session_id) nulls not distinct where state = 'inside';
create index checkin_not_counted on checkin (event_id, ticket_id, external_code_id, session_id) where state in ('double', 'undone');
create index checkin_changed on checkin (event_id, changed_id) where changed_id is not null;

-- Who is inside.
create view admission as
  select event_id, ticket_id, external_code_id, session_id, item_id, nonce, at, gate, device from checkin where state = 'inside';

-- As in 0013.
create view entry_recount as
  select a.event_id, a.item_id, coalesce(a.session_id, 0) as session_id, quarter_of(a.at) as quarter, count(*) as entries
    from admission a left join ticket t on t.event_id = a.event_id and t.id = a.ticket_id
   where t.status is distinct from 'refunded' group by 1, 2, 3, 4;
create view guest_recount as
  select event_id, item_id, count(*) as checked
    from (select distinct a.event_id, a.item_id, a.ticket_id, a.external_code_id
            from admission a left join ticket t on t.event_id = a.event_id and t.id = a.ticket_id
           where t.status is distinct from 'refunded') inside group by 1, 2;

-- How many more came in than went, in a quarter of an hour. Of items that admit once in each of several sessions also by whom.
create type entry_change as (
  event_id bigint, item_id bigint, session_id bigint, quarter timestamptz, ticket_id bigint, external_code_id bigint, by bigint);

create function count_entries(changes entry_change[]) returns void language plpgsql
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  with moved as materialized (
    select c.*, i.type in ('passport', 'external') as returns
      from (select event_id, item_id, coalesce(session_id, 0) as session_id, quarter, sum(by) as by
              from unnest(changes) group by 1, 2, 3, 4) c join item i on i.id = c.item_id),
  hours as (
    insert into entry_total as total (event_id, item_id, session_id, quarter, entries)
    select event_id, item_id, session_id, quarter, by from moved where by <> 0
    on conflict (event_id, item_id, session_id, quarter) do update set entries = total.entries + excluded.entries),
  subject as (
    select c.event_id, c.ticket_id, c.external_code_id, c.item_id,
           exists (select from admission a where a.event_id = c.event_id and a.ticket_id = c.ticket_id)
           or exists (select from admission a where a.event_id = c.event_id and a.ticket_id is null and a.external_code_id = c.external_code_id)
             as inside
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
declare
  changes entry_change[];
begin
  select array_agg((event_id, item_id, session_id, quarter, null, null, by)::entry_change) into changes
    from (select event_id, item_id, session_id, quarter_of(at) as quarter, count(*) as by from came where state = 'inside'
           group by 1, 2, 3, 4) c;
  if exists (select from unnest(changes) c join item i on i.id = c.item_id where i.type in ('passport', 'external')) then
    select array_agg((event_id, item_id, session_id, quarter_of(at), ticket_id, external_code_id, 1)::entry_change) into changes
      from came where state = 'inside';
  end if;
  if changes is not null then perform count_entries(changes); end if;
  return null;
end $$;
create trigger checkin_counted after insert on checkin referencing new table as came
  for each statement execute function count_admissions();

-- An earlier scan takes the place of a later one, maybe in another hour, or one is taken back; what was refunded since counts no more.
create function count_changed_admissions() returns trigger language plpgsql
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  perform count_entries(array_agg((a.event_id, a.item_id, a.session_id, quarter_of(a.at), a.ticket_id, a.external_code_id, a.by)::entry_change))
    from (select *, 1 as by from now_are union all select *, -1 from were) a
    left join ticket t on t.event_id = a.event_id and t.id = a.ticket_id
   where a.state = 'inside' and t.status is distinct from 'refunded' having count(*) > 0;
  return null;
end $$;
create trigger checkin_change_counted after update on checkin referencing old table as were new table as now_are
  for each statement execute function count_changed_admissions();

create or replace function forget_entries(of_event bigint, of_ticket bigint, of_item bigint) returns void language plpgsql
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  perform from door where event_id = of_event for share;
  with gone as (
    select coalesce(session_id, 0) as session_id, quarter_of(at) as quarter from admission
     where event_id = of_event and ticket_id = of_ticket),
  hours as (
    update entry_total e set entries = e.entries - 1 from gone g
     where e.event_id = of_event and e.item_id = of_item and e.session_id = g.session_id and e.quarter = g.quarter),
  returning_no_more as (delete from returning_guest where event_id = of_event and ticket_id = of_ticket)
  update guest_total set checked = checked - 1 where event_id = of_event and item_id = of_item and exists (select from gone);
end $$;
