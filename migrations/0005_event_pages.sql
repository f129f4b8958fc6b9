-- Finding events by words, place, date and old link; what the home page shows; and telling every process when a page has changed.

create extension if not exists unaccent;

-- Words as people type them: no accents, no capitals, no punctuation and symbols, of which the text search would make part of a word.
-- Declared immutable, as the dictionary is named and nothing else can change the result.
create function plain_text(text) returns text language sql immutable strict parallel safe
  return regexp_replace(lower(unaccent('unaccent'::regdictionary, $1)),
    '[\u0001-/:-@[-`{-\u00bf×÷\u2000-\u206f\u2190-\u2bff\u3000-\u303f\ufe00-\ufe0f\ufeff\U0001f000-\U0001faff]+', ' ', 'g');

create function words_of(text) returns text[] language sql immutable strict parallel safe
  return tsvector_to_array(to_tsvector('simple', plain_text($1)));

alter table event
  -- The description without its markup.
  add column description_text text not null default '',
  -- From the first session's start to the last one's finish; null while there is no session.
  add column starts_at timestamptz,
  add column finishes_at timestamptz,
  add constraint event_dates check ((starts_at is null) = (finishes_at is null) and starts_at < finishes_at);

create index event_session_event on event_session (event_id, starts_at, id);
create index event_listed on event (starts_at, id) where status = 'published';
create index event_listed_in_category on event (category_id, starts_at, id) where status = 'published';
create index event_listed_in_state on event (venue_state, starts_at, id) where status = 'published';
create index event_listed_in_both on event (category_id, venue_state, starts_at, id) where status = 'published';
-- For those that run already: without it, every past event would be looked at to find them.
create index event_running on event using gist (tstzrange(starts_at, finishes_at)) where status = 'published';

-- The words of every published event, each in the order of dates: what a search looks for is found at once, however many events
-- there are or were, and whether the word is in all of them or in none. (A GIN index finds matches in no order, past ones too.)
create table event_word (
  word      text collate "C" not null,
  -- Every word once for the title, and once wherever it is.
  in_title  boolean not null,
  starts_at timestamptz not null,
  event_id  bigint not null references event on delete cascade,
  primary key (word, in_title, starts_at, event_id)
);
create index event_word_event on event_word (event_id);

create function index_event_words() returns trigger language plpgsql as $$
begin
  delete from event_word where event_id = new.id;
  if new.status = 'published' and new.starts_at is not null then
    insert into event_word (word, in_title, starts_at, event_id)
    select unnest(words_of(new.title)), true, new.starts_at, new.id
    union all
    select unnest(words_of(concat_ws(' ', new.title, new.venue_name, new.venue_city, new.description_text))), false, new.starts_at, new.id;
  end if;
  return null;
end $$;
create trigger words_indexed after insert on event for each row execute function index_event_words();
create trigger words_indexed_again after update on event for each row
  when ((old.title, old.venue_name, old.venue_city, old.description_text, old.status, old.starts_at)
        is distinct from (new.title, new.venue_name, new.venue_city, new.description_text, new.status, new.starts_at))
  execute function index_event_words();

update event set description_text = regexp_replace(description, '<[^>]*>', ' ', 'g'),
       starts_at = (select min(starts_at) from event_session where event_id = event.id),
       finishes_at = (select max(finishes_at) from event_session where event_id = event.id);

-- Every link an event has or had leads to it, and to no other. The event's own link is one of them.
create table event_link (
  -- In the order of its bytes, so that links that begin alike stand together.
  link     text collate "C" primary key check (link ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and link !~ '^[0-9]+$'),
  event_id bigint not null references event,
  unique (event_id, link)
);
insert into event_link (link, event_id) select link, id from event;
alter table event
  drop constraint event_link_key,
  drop constraint event_link_check,
  add foreign key (id, link) references event_link (event_id, link) deferrable initially deferred;

create table featured (
  id       bigint generated always as identity primary key,
  position integer not null,
  event_id bigint references event,
  image    text,
  target   text,
  -- For banners that lead to no event: where they are shown; null for everywhere.
  state    text check (state ~ '^[A-Z]{2}$'),
  constraint featured_something check (event_id is not null or image is not null)
);

create table home_section (
  id       bigint generated always as identity primary key,
  title    text not null check (length(title) between 1 and 100),
  slug     text not null unique check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
  position integer not null
);

create table home_section_event (
  section_id bigint not null references home_section on delete cascade,
  event_id   bigint not null references event,
  position   integer not null,
  primary key (section_id, event_id)
);

create table home_cover (
  only_one boolean primary key default true check (only_one),
  image    text,
  title    text,
  target   text,
  event_id bigint references event
);

-- Pages are kept ready in every process. Whoever changes what a page shows tells them, with the event's number or * for any.

create function tell_event_changed() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then perform pg_notify('page_changed', old.event_id::text); end if;
  if tg_op <> 'DELETE' then perform pg_notify('page_changed', new.event_id::text); end if;
  return null;
end $$;

create function tell_event_itself_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('page_changed', new.id::text);
  return null;
end $$;

create function tell_event_of_item_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('page_changed', event_id::text)
     from item where id = case when tg_op = 'DELETE' then old.item_id else new.item_id end;
  return null;
end $$;

create function tell_anything_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('page_changed', '*');
  return null;
end $$;

create trigger told after insert or update on event for each row execute function tell_event_itself_changed();
create trigger told after insert or update or delete on event_attribute for each row execute function tell_event_changed();
create trigger told after insert or update or delete on item_session for each row execute function tell_event_changed();
create trigger told after insert or update or delete on item_attribute for each row execute function tell_event_of_item_changed();
create trigger told after insert or update or delete on item_values for each row execute function tell_event_of_item_changed();
create trigger told after update on producer for each statement execute function tell_anything_changed();
create trigger told after insert or update or delete on category for each statement execute function tell_anything_changed();
create trigger told after insert or update or delete on featured for each statement execute function tell_anything_changed();
create trigger told after insert or update or delete on home_section for each statement execute function tell_anything_changed();
create trigger told after insert or update or delete on home_section_event for each statement execute function tell_anything_changed();
create trigger told after insert or update or delete on home_cover for each statement execute function tell_anything_changed();

-- Counters change with every sale, but a page says how many are left only when they are few (20): a sale out of plenty tells nobody.

create trigger told after insert or delete on item for each row execute function tell_event_changed();
create trigger told_when_shown after update on item for each row
  when ((old.parent_id, old.name, old.description, old.position, old.quantity, old.hidden, old.salable, old.archived)
        is distinct from (new.parent_id, new.name, new.description, new.position, new.quantity, new.hidden, new.salable, new.archived)
        or least(old.quantity - old.sold - old.held, new.quantity - new.sold - new.held) <= 20)
  execute function tell_event_changed();

create trigger told after insert or delete on event_session for each row execute function tell_event_changed();
create trigger told_when_shown after update on event_session for each row
  when ((old.name, old.starts_at, old.finishes_at, old.capacity) is distinct from (new.name, new.starts_at, new.finishes_at, new.capacity)
        or least(old.capacity - old.sold - old.held, new.capacity - new.sold - new.held) <= 20)
  execute function tell_event_changed();

create trigger told after insert or delete on sale_period for each row execute function tell_event_of_item_changed();
create trigger told_when_shown after update on sale_period for each row
  when ((old.starts_at, old.finishes_at, old.available) is distinct from (new.starts_at, new.finishes_at, new.available)
        or least(old.available - old.sold - old.held, new.available - new.sold - new.held) <= 20)
  execute function tell_event_of_item_changed();
