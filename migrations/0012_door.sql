-- The door. The scans of all devices form a log. Who is inside follows from the whole log, so devices may send their scans in any order.

-- The lock of an event's door: a batch of scans is decided after the other. Every event has one row.
create table door (
  event_id      bigint constraint door_pkey primary key constraint door_event references event,
  -- Added to imported codes before they are hashed for devices.
  salt          bytea not null default uuid_send(gen_random_uuid()) constraint door_salt check (length(salt) = 16),
  -- Increases when imported codes of the event are deleted. Devices then download all codes again.
  codes_deleted bigint not null default 0
) with (fillfactor = 50);

-- The sessions for which somebody was scanned. They cannot be deleted.
create table door_session (
  event_id   bigint not null,
  session_id bigint not null,
  constraint door_session_pkey primary key (event_id, session_id),
  constraint door_session_session foreign key (event_id, session_id) references event_session (event_id, id)
);

-- A phone or scanner that may check in tickets of one event. It is recognized by its token, of which only the hash is stored.
create table door_device (
  event_id     bigint not null constraint door_device_event references event,
  id           bigint generated always as identity,
  name         text not null constraint door_device_name check (length(name) between 1 and 100),
  -- The gate at which the device is used. Null: the steward chooses it on the device.
  gate         text constraint door_device_gate check (length(gate) between 1 and 100),
  token_hash   bytea not null constraint door_device_token_hash check (length(token_hash) = 32),
  created_at   timestamptz not null,
  expires_at   timestamptz not null,
  revoked_at   timestamptz,
  -- Written at most once a minute.
  last_seen_at timestamptz,
  constraint door_device_pkey primary key (event_id, id),
  constraint door_device_token unique (event_id, token_hash)
);
comment on column door_device.name is 'Personal data. Ends with: doorDevices';
-- Expired devices, to delete them.
create index door_device_expiry on door_device (expires_at);

create sequence checkin_id;

-- A scan, as a device made it, and its result. It has no foreign keys, because checking them would take longer than the scan: event, ticket
-- and session were read to decide the scan, and tickets are never deleted.
create table checkin (
  event_id         bigint not null,
  id               bigint not null default nextval('checkin_id'),
  nonce            text collate "C" not null,
  -- What was scanned: a ticket, or the imported code of a ticket that was sold elsewhere. Both are null if the code is unknown.
  ticket_id        bigint,
  external_code_id bigint,
  item_id          bigint,
  session_id       bigint,
  at               timestamptz not null,
  gate             text,
  device           text collate "C" not null,
  user_id          bigint,
  received_at      timestamptz not null,
  result           text not null,
  -- Part of the result `already_used`: when and at which gate.
  used_at          timestamptz,
  used_gate        text,
  -- Of the valid entries of a ticket in a session that were not undone, the earliest is `inside`. Entries after an exit are `reentered`, as far
  -- as the event allows them. Other entries are `double`. An exit of a guest who was inside is `exited`, any other exit is `unmatched`.
  state            text not null,
  -- The place in the log where the state changed after the scan was stored. Devices read the scan again there.
  changed_id       bigint,
  constraint checkin_pkey primary key (event_id, id),
  -- `length` counts characters, which is slow, so it is used only if there are more bytes than allowed characters.
  constraint checkin_texts check (
    nonce <> '' and (octet_length(nonce) <= 64 or length(nonce) <= 64) and device <> '' and (octet_length(device) <= 100 or length(device) <= 100)
    and (gate is null or gate <> '' and (octet_length(gate) <= 100 or length(gate) <= 100))),
  constraint checkin_state check (
    case when state in ('inside', 'reentered', 'double') then result in ('admitted', 'already_used') and num_nonnulls(ticket_id, external_code_id) = 1
         when state in ('exited', 'unmatched') then result in ('exited', 'not_inside') and num_nonnulls(ticket_id, external_code_id) = 1
         when state = 'undone' then result in ('admitted', 'already_used', 'exited', 'not_inside') and num_nonnulls(ticket_id, external_code_id) = 1
         when state = 'refused' and result = 'unknown' then num_nonnulls(ticket_id, external_code_id) = 0
         else state = 'refused' and result in ('wrong_session', 'refunded', 'not_yet_valid', 'not_allowed') and num_nonnulls(ticket_id, external_code_id) = 1 end)
);
-- A scan that a device sends again. Scans in the state `inside` are found by their ticket, so they need no entry here.
create unique index checkin_once on checkin (event_id, nonce, ticket_id, external_code_id) nulls not distinct where state <> 'inside';
-- A scan in the state `inside` that is undone. It is found by its time.
create index checkin_at on checkin using brin (at) with (pages_per_range = 16);
-- The entry of a ticket in a session. There is only one, also if the guest left and entered again.
create unique index admission_once on checkin (event_id, ticket_id, external_code_id, session_id) nulls not distinct where state = 'inside';
-- The other valid scans of a ticket.
create index checkin_not_counted on checkin (event_id, ticket_id, external_code_id, session_id) where state not in ('inside', 'refused');
-- Scans whose state changed later, for the manifest of devices.
create index checkin_changed on checkin (event_id, changed_id) where changed_id is not null;
-- Scans of devices that were offline, for the entry report.
create index checkin_late on checkin (event_id, session_id) where received_at - at > interval '2 minutes';
-- Only `state` and `changed_id` may change.
create trigger checkin_append_only
  before update of event_id, id, nonce, ticket_id, external_code_id, item_id, session_id, at, gate, device, user_id, received_at, result, used_at,
                   used_gate or delete or truncate on checkin
  for each statement execute function refuse_change();

-- Who has entered, with the first entry.
create view admission as
  select event_id, ticket_id, external_code_id, session_id, item_id, nonce, at, gate, device from checkin where state = 'inside';

-- A scan that a device has undone within 30 seconds. It may arrive before the scan itself.
create table checkin_undo (
  event_id    bigint not null,
  nonce       text collate "C" not null constraint checkin_undo_nonce check (length(nonce) between 1 and 64),
  undoes      text collate "C" not null,
  at          timestamptz not null,
  device      text collate "C" not null constraint checkin_undo_device check (length(device) between 1 and 100),
  user_id     bigint,
  received_at timestamptz not null,
  constraint checkin_undo_pkey primary key (event_id, nonce)
);
-- The undo of a scan.
create index checkin_undo_of_scan on checkin_undo (event_id, undoes);
create trigger checkin_undo_append_only before update or delete or truncate on checkin_undo
  for each statement execute function refuse_change();

-- Makes a transaction fail and start again, because data that it has read was changed meanwhile.
create function overtaken() returns void language plpgsql as $$
begin
  raise exception 'Another transaction changed the data first' using errcode = 'serialization_failure';
end $$;
