-- What the door asks of a ticket stands on the ticket: to look up its line and its order for every scan took most of the time of a scan.
alter table ticket
  -- Those it is good for, as on its line.
  add column session_ids bigint[],
  -- The name to greet by: the buyer's, until the order is anonymized.
  add column holder text;
update ticket t set session_ids = l.session_ids, holder = o.buyer_name
  from order_line l join ticket_order o on o.event_id = l.event_id and o.id = l.order_id
 where l.event_id = t.event_id and l.order_id = t.order_id and l.item_id = t.item_id;
alter table ticket alter column session_ids set not null;

-- For a transaction that sees, when it writes, that what it has read is so no more: it is tried again.
create function overtaken() returns void language plpgsql as $$
begin
  raise exception 'Somebody else was quicker' using errcode = 'serialization_failure';
end $$;

-- Who lets somebody in locks the door at last here, to count them; whoever wants to be alone with it from the beginning has locked it before.
create or replace function count_admissions() returns trigger language plpgsql as $$
begin
  perform from door where event_id = any(array(select distinct event_id from came)) order by event_id for no key update;
  perform count_entries(array_agg((event_id, ticket_id, external_code_id, session_id, item_id, at, 1)::entry_change))
    from came where not undone having count(*) > 0;
  return null;
end $$;
