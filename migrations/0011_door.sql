-- The door. Scans are a log that only grows; who is inside is decided from the whole of it, so that it does not matter in which order the
-- logs of several devices come in.

-- What every scan of an event takes a lock on, so that one batch is decided after the other. Every event has one.
create table door (
  event_id      bigint primary key references event,
  -- Goes before an imported code when it is hashed for devices.
  salt          bytea not null default uuid_send(gen_random_uuid()) check (length(salt) = 16),
  -- Grows whenever imported codes of the event are deleted: devices then ask for all of them again.
  codes_deleted bigint not null default 0
);
insert into door (event_id) select id from event;

create function event_gets_door() returns trigger language plpgsql as $$
begin
  insert into door (event_id) values (new.id);
  return null;
end $$;
create trigger event_gets_door after insert on event for each row execute function event_gets_door();

-- A session that somebody was scanned for stays. Here once for each, as looking it up for every scan would take longer than the scan.
create table door_session (
  event_id   bigint not null,
  session_id bigint not null,
  primary key (event_id, session_id),
  foreign key (event_id, session_id) references event_session (event_id, id)
);

-- One scan of a code, as a device has made it, and what it was told. That event, ticket and session exist is known by what was read to
-- decide it; tickets are never deleted.
create table checkin (
  event_id         bigint not null,
  id               bigint generated always as identity,
  nonce            text collate "C" not null check (length(nonce) between 1 and 64),
  -- What was scanned: a ticket, or a code of a ticket sold elsewhere; neither where it is unknown.
  ticket_id        bigint,
  external_code_id bigint,
  item_id          bigint,
  session_id       bigint,
  at               timestamptz not null,
  gate             text check (length(gate) between 1 and 100),
  device           text collate "C" not null check (length(device) between 1 and 100),
  user_id          bigint,
  received_at      timestamptz not null,
  result           text not null check (result in ('admitted', 'already_used', 'wrong_session', 'refunded', 'unknown', 'not_yet_valid')),
  -- Told with already_used: when and where.
  used_at          timestamptz,
  used_gate        text,
  primary key (event_id, id),
  constraint checkin_once unique (event_id, nonce),
  constraint checkin_subject check (num_nonnulls(ticket_id, external_code_id) = case when result = 'unknown' then 0 else 1 end)
);
create trigger checkin_append_only before update or delete or truncate on checkin
  for each statement execute function refuse_change();

-- A scan that a device takes back within 30 seconds. It may come before the scan itself.
create table checkin_undo (
  event_id    bigint not null,
  nonce       text collate "C" not null check (length(nonce) between 1 and 64),
  undoes      text collate "C" not null,
  at          timestamptz not null,
  device      text collate "C" not null check (length(device) between 1 and 100),
  user_id     bigint,
  received_at timestamptz not null,
  primary key (event_id, nonce)
);
create index checkin_undo_scan on checkin_undo (event_id, undoes);
create trigger checkin_undo_append_only before update or delete or truncate on checkin_undo
  for each statement execute function refuse_change();

-- Who is inside: of the scans of one ticket in one session that are good and not taken back, the earliest. Where all were taken back
-- the last one stays as undone, for devices that have heard of it.
create table admission (
  event_id         bigint not null,
  ticket_id        bigint,
  external_code_id bigint,
  session_id       bigint,
  item_id          bigint not null,
  nonce            text collate "C" not null,
  at               timestamptz not null,
  gate             text,
  device           text collate "C" not null,
  undone           boolean not null default false,
  -- The transaction of the last change: what devices ask by.
  changed_in       xid8 not null default pg_current_xact_id(),
  constraint admission_once unique nulls not distinct (event_id, ticket_id, external_code_id, session_id),
  constraint admission_subject check (num_nonnulls(ticket_id, external_code_id) = 1)
);
create index admission_changed on admission (event_id, changed_in);

-- The other good scans of a ticket in a session: somebody came a second time.
create table double_entry (
  event_id         bigint not null,
  nonce            text collate "C" not null,
  ticket_id        bigint,
  external_code_id bigint,
  session_id       bigint,
  primary key (event_id, nonce),
  constraint double_entry_subject check (num_nonnulls(ticket_id, external_code_id) = 1)
);
create index double_entry_of on double_entry (event_id, ticket_id, external_code_id, session_id);

-- The transaction of the last change of a ticket: what devices ask by.
alter table ticket add column changed_in xid8 not null default pg_current_xact_id();
create index ticket_changed on ticket (event_id, changed_in);

create function ticket_changed() returns trigger language plpgsql as $$
begin
  new.changed_in := pg_current_xact_id();
  return new;
end $$;
create trigger ticket_changed before update of status on ticket
  for each row when (old.status is distinct from new.status) execute function ticket_changed();

create function external_codes_deleted() returns trigger language plpgsql as $$
begin
  update door set codes_deleted = codes_deleted + 1 where event_id in (select distinct event_id from gone);
  return null;
end $$;
create trigger external_codes_deleted after delete on external_code
  referencing old table as gone for each statement execute function external_codes_deleted();
