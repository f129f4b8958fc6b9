-- Imported codes: of tickets that were sold elsewhere, or that are printed on cards.

-- An imported code.
create table external_code (
  event_id        bigint not null,
  id              bigint generated always as identity,
  item_id         bigint not null,
  session_id      bigint,
  -- Compared byte by byte, so that an index finds codes by their beginning.
  code            text collate "C" not null constraint external_code_form check (length(code) between 1 and 200),
  holder_name     text constraint external_code_holder_name check (length(holder_name) between 1 and 200),
  holder_document text constraint external_code_holder_document check (length(holder_document) between 1 and 100),
  status          text not null default 'available' constraint external_code_status check (status in ('available', 'assigned', 'used')),
  created_at      timestamptz not null,
  constraint external_code_pkey primary key (event_id, id),
  constraint external_code_once unique (event_id, code),
  constraint external_code_item foreign key (event_id, item_id) references item (event_id, id),
  constraint external_code_session foreign key (event_id, session_id) references event_session (event_id, id)
);
comment on column external_code.holder_name is 'Personal data. Ends with: codeHolders';
comment on column external_code.holder_document is 'Personal data. Ends with: codeHolders';
-- The codes of an item, all or by status. The next code to assign is the first entry of its index, however many codes are assigned.
create index external_code_of_item on external_code (event_id, item_id, id);
create index external_code_available on external_code (event_id, item_id, id) where status = 'available';
create index external_code_assigned on external_code (event_id, item_id, id) where status = 'assigned';
create index external_code_used on external_code (event_id, item_id, id) where status = 'used';

-- The words of a name without accents, for the search.
create function holder_words(name text) returns tsvector language sql immutable strict parallel safe
  return to_tsvector('simple'::regconfig, regexp_replace(normalize(name, NFKD), '[\u0300-\u036f]', '', 'g'));
-- The search for a holder by name.
create index external_code_holder on external_code using gin (holder_words(holder_name)) where holder_name is not null;
-- Codes that name a holder, to erase the holders after the event.
create index external_code_to_erase on external_code (event_id, id) where holder_name is not null or holder_document is not null;
