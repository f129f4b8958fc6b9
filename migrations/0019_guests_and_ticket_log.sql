-- Devices at the door ask what has changed since they last asked. Until now the answer came from the transaction id on each ticket.
-- Transaction ids mean nothing after a dump and restore, so the changes of an event's tickets are numbered instead.

-- The last number given out for each event. Taking the next one locks the row until the transaction ends. So numbers become visible in their
-- order and without gaps: whoever has read number 7 never finds a new 6. Scans do not take this lock, and sellers take it last.
create table ticket_log (
  event_id    bigint primary key,
  last_change bigint not null check (last_change > 0)
) with (fillfactor = 50);

-- One row for each statement that issued or refunded tickets, so that a batch of orders costs one row. Tickets that are older than this table
-- are in no row; a device that starts from nothing reads the tickets themselves.
create table ticket_change (
  event_id   bigint not null,
  id         bigint not null,
  kind       text not null check (kind in ('issued', 'refunded')),
  ticket_ids bigint[] not null check (cardinality(ticket_ids) > 0),
  primary key (event_id, id)
);

create function log_issued_tickets() returns trigger language plpgsql as $$
begin
  with changed as (select event_id, array_agg(id order by id) as ticket_ids from issued group by event_id),
  numbered as (
    insert into ticket_log as log (event_id, last_change) select event_id, 1 from changed order by event_id
    on conflict (event_id) do update set last_change = log.last_change + 1 returning event_id, last_change)
  insert into ticket_change (event_id, id, kind, ticket_ids)
  select event_id, n.last_change, 'issued', c.ticket_ids from numbered n join changed c using (event_id);
  return null;
end $$;
-- Its name comes after `ticket_counted`: triggers run by name, and the log is locked last.
create trigger ticket_issue_logged after insert on ticket referencing new table as issued
  for each statement execute function log_issued_tickets();

create function log_refunded_tickets() returns trigger language plpgsql as $$
begin
  with changed as (
    select n.event_id, array_agg(n.id order by n.id) as ticket_ids
      from now_are n join were w on w.event_id = n.event_id and w.id = n.id where w.status <> n.status group by n.event_id),
  numbered as (
    insert into ticket_log as log (event_id, last_change) select event_id, 1 from changed order by event_id
    on conflict (event_id) do update set last_change = log.last_change + 1 returning event_id, last_change)
  insert into ticket_change (event_id, id, kind, ticket_ids)
  select event_id, n.last_change, 'refunded', c.ticket_ids from numbered n join changed c using (event_id);
  return null;
end $$;
create trigger ticket_refund_logged after update on ticket referencing old table as were new table as now_are
  for each statement execute function log_refunded_tickets();

-- Nothing reads the transaction ids any more. The column itself goes with the next release: processes of this one may still name it.
drop trigger ticket_changed on ticket;
drop function ticket_changed();
drop index ticket_changed;
alter table ticket alter column changed_in drop not null, alter column changed_in drop default;

-- A guest is whoever the door would admit: a row of `ticket_guest` or of `code_guest`. Guest list, entry report, export and door manifest read
-- these, so that they cannot differ. `session_ids` are the sessions that a guest may enter.

create view ticket_guest as
  select t.event_id, t.id, t.order_id, t.item_id, t.session_ids, o.app_category_id, c.code,
         o.buyer_name as name, o.buyer_email as email, o.buyer_document as document
    from ticket t
    join ticket_order o on o.event_id = t.event_id and o.id = t.order_id
    left join external_code c on c.id = t.external_code_id
   where t.status = 'valid';

-- Imported codes of items that are sold elsewhere. Codes of other items admit only with the ticket that carries them. A code without a session is
-- for all sessions of its item; an item without sessions is for all sessions of the event.
create view code_guest as
  select c.event_id, c.id, c.item_id, case when c.session_id is null then s.session_ids else array[c.session_id] end as session_ids, c.session_id,
         c.code, c.holder_name as name, c.holder_document as document
    from item i
   -- Once for each item: without `offset` it would be once for each code.
   cross join lateral (
     select coalesce(nullif(array(select x.session_id from item_session x where x.item_id = i.id order by 1), '{}'),
                     array(select e.id from event_session e where e.event_id = i.event_id order by 1)) as session_ids offset 0) s
    join external_code c on c.item_id = i.id
   where i.type = 'external';

-- Whether a search term finds a guest: the start of the name, or the whole ticket number, order number or imported code. E-mail and document are
-- searched only for callers who may see them, as finding somebody by them would tell them.
create function guest_found(
  term text, personal boolean, name text, email text, document text, ticket_id bigint, order_id bigint, code text
) returns boolean language sql immutable parallel safe
  return coalesce(starts_with(plain_text(name), plain_text(term)), false) or coalesce(term in (ticket_id::text, order_id::text), false)
         or coalesce(term = code, false)
         or personal and (coalesce(starts_with(plain_text(email), plain_text(term)), false)
                          or coalesce(starts_with(plain_text(document), plain_text(term)), false));

-- Whether the file has e-mails and documents. Files of earlier releases always had them.
alter table export add column personal boolean not null default true;
