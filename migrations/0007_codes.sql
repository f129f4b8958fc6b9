-- Codes of tickets that come from elsewhere: sold by a partner, or printed on cards.

create table external_code (
  id              bigint generated always as identity primary key,
  event_id        bigint not null,
  item_id         bigint not null,
  session_id      bigint,
  -- Compared byte by byte: faster than by the rules of a language, and the beginning of a code can be looked up.
  code            text collate "C" not null check (length(code) between 1 and 200),
  holder_name     text check (length(holder_name) between 1 and 200),
  holder_document text check (length(holder_document) between 1 and 100),
  status          text not null default 'available' check (status in ('available', 'assigned', 'used')),
  created_at      timestamptz not null,
  constraint external_code_once unique (event_id, code),
  foreign key (event_id, item_id) references item (event_id, id),
  foreign key (event_id, session_id) references event_session (event_id, id)
);
create index external_code_item on external_code (item_id, id);
-- One for each question by status: the next code to hand out is the first of its index, however many are gone.
create index external_code_available on external_code (item_id, id) where status = 'available';
create index external_code_assigned on external_code (item_id, id) where status = 'assigned';
create index external_code_used on external_code (item_id, id) where status = 'used';

-- The words of a name without their accents, as they are searched for.
create function holder_words(name text) returns tsvector language sql immutable strict parallel safe
  return to_tsvector('simple'::regconfig, regexp_replace(normalize(name, NFKD), '[\u0300-\u036f]', '', 'g'));
create index external_code_holder on external_code using gin (holder_words(holder_name)) where holder_name is not null;
