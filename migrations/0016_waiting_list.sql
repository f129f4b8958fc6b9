-- oldest release: 0.2.0
-- The waiting list: people who want tickets that are sold out, in the order in which they confirmed their address.

-- Whether people can join the waiting list of the event, and for how many hours an offer is kept.
alter table event add column waiting_list boolean not null default true;
alter table event add column waiting_list_hours integer not null default 24
  constraint event_waiting_list_hours check (waiting_list_hours between 1 and 168);

create sequence waiting_place;

-- A line of people who wait for the same item, or for any item of the same group. An item with several sessions has one line per session.
-- `waiting` counts the tickets that confirmed people wait for. The locks of the items and sessions protect it.
create table waiting_line (
  event_id   bigint not null,
  id         bigint generated always as identity,
  item_id    bigint not null,
  session_id bigint,
  waiting    integer not null default 0 constraint waiting_line_waiting check (waiting >= 0),
  constraint waiting_line_pkey primary key (event_id, id),
  constraint waiting_line_item foreign key (event_id, item_id) references item (event_id, id),
  constraint waiting_line_session foreign key (event_id, session_id) references event_session (event_id, id)
) with (fillfactor = 50);
-- One line per item and session.
create unique index waiting_line_once on waiting_line (event_id, item_id, coalesce(session_id, 0));

-- A person in a line. An offer is a held order of the person.
create table waiting_entry (
  event_id     bigint not null,
  id           bigint generated always as identity,
  line_id      bigint not null,
  quantity     integer not null constraint waiting_entry_quantity check (quantity > 0),
  -- In lower case. Null after it was erased.
  email        text constraint waiting_entry_email check (email = lower(email)),
  locale       text not null constraint waiting_entry_locale check (locale in ('pt-BR', 'en', 'es')),
  status       text not null constraint waiting_entry_status
               check (status in ('unconfirmed', 'waiting', 'offered', 'bought', 'lapsed', 'left', 'removed')),
  -- The position in all lines of the event. Drawn when the address is confirmed, under the lock of the items.
  place        bigint,
  order_id     bigint,
  created_at   timestamptz not null,
  confirmed_at timestamptz,
  offered_at   timestamptz,
  closed_at    timestamptz,
  constraint waiting_entry_pkey primary key (event_id, id),
  constraint waiting_entry_line foreign key (event_id, line_id) references waiting_line (event_id, id),
  constraint waiting_entry_order foreign key (event_id, order_id) references ticket_order (event_id, id),
  constraint waiting_entry_place unique (event_id, place),
  constraint waiting_entry_offered_once unique (event_id, order_id),
  constraint waiting_entry_confirmed check ((place is null) = (confirmed_at is null)),
  constraint waiting_entry_offer check (status not in ('offered', 'bought', 'lapsed') or order_id is not null),
  constraint waiting_entry_in_line check (status not in ('waiting', 'offered') or place is not null),
  constraint waiting_entry_closed check ((status in ('unconfirmed', 'waiting', 'offered')) = (closed_at is null))
) with (fillfactor = 80);
comment on column waiting_entry.email is 'Personal data. Ends with: waitingListUnconfirmed, waitingList, leaveWaitingList, removeWaitingListEntry';
-- An address is in a line at most once at a time.
create unique index waiting_entry_address on waiting_entry (event_id, line_id, email) where status in ('unconfirmed', 'waiting', 'offered');
-- The people who wait in a line, first in line first.
create index waiting_entry_next on waiting_entry (event_id, line_id, place) where status = 'waiting';
-- Open offers, to find those that ended.
create index waiting_entry_offers on waiting_entry (event_id, order_id) where status = 'offered';
-- Addresses to erase.
create index waiting_entry_to_erase on waiting_entry (closed_at) where email is not null and closed_at is not null;
-- Entries that were never confirmed, to delete them.
create index waiting_entry_unconfirmed on waiting_entry (created_at) where status = 'unconfirmed';

-- A link to an entry in a mail. Only the hash of its token is stored, so a copy of this table opens no entry.
create table waiting_link (
  event_id   bigint not null,
  token_hash bytea not null constraint waiting_link_hash check (length(token_hash) = 32),
  entry_id   bigint not null,
  constraint waiting_link_pkey primary key (event_id, token_hash),
  constraint waiting_link_entry foreign key (event_id, entry_id) references waiting_entry (event_id, id) on delete cascade
);
-- The links of an entry, which are deleted with it.
create index waiting_link_of_entry on waiting_link (event_id, entry_id);
