-- Events: when and where they happen, who works on them, and how they are found.

create extension if not exists unaccent;

-- A text as people type it: without accents, capitals, punctuation and symbols. Declared immutable: the dictionary is named explicitly, so
-- nothing else can change the result.
create function plain_text(text) returns text language sql immutable strict parallel safe
  return regexp_replace(lower(unaccent('unaccent'::regdictionary, $1)),
    '[\u0001-/:-@[-`{-\u00bf×÷\u2000-\u206f\u2190-\u2bff\u3000-\u303f\ufe00-\ufe0f\ufeff\U0001f000-\U0001faff]+', ' ', 'g');

-- The words of a text, each once.
create function words_of(text) returns text[] language sql immutable strict parallel safe
  return tsvector_to_array(to_tsvector('simple', plain_text($1)));

-- A category of events, for example concerts.
create table category (
  id       bigint generated always as identity constraint category_pkey primary key,
  slug     text not null constraint category_slug unique constraint category_slug_form check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
  name     text not null constraint category_name check (length(name) between 1 and 100),
  position integer not null
);

create sequence event_id;

-- Every link that leads to an event: its current one and its former ones. A link belongs to one event for ever. A link is claimed before its
-- event is inserted.
create table event_link (
  -- In the order of its bytes, so that links with the same beginning are neighbours in the index.
  link     text collate "C" constraint event_link_pkey primary key
           constraint event_link_form check (link ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and link !~ '^[0-9]+$'),
  event_id bigint not null,
  constraint event_link_of_event unique (event_id, link)
);

-- An event. It has one or more sessions.
create table event (
  id                bigint constraint event_pkey primary key default nextval('event_id'),
  producer_id       bigint not null constraint event_producer references producer,
  category_id       bigint not null constraint event_category references category,
  title             text not null constraint event_title check (length(title) between 1 and 200),
  subtitle          text constraint event_subtitle check (length(subtitle) between 1 and 200),
  link              text collate "C" not null,
  description       text not null default '',
  -- The description without markup, for the search.
  description_text  text not null default '',
  -- How many minutes before the start of a session the doors open.
  doors_open        integer constraint event_doors_open check (doors_open between 0 and 1440),
  -- The Brazilian age classification. L is for all ages.
  age_rating        text constraint event_age_rating check (age_rating in ('L', '10', '12', '14', '16', '18')),
  -- Questions and answers, as a list of objects. Plain text.
  faq               jsonb not null default '[]' constraint event_faq check (jsonb_typeof(faq) = 'array' and jsonb_array_length(faq) <= 50),
  accessibility     text constraint event_accessibility check (length(accessibility) between 1 and 5000),
  status            text not null default 'draft' constraint event_status check (status in ('draft', 'published', 'private', 'cancelled')),
  sale_enabled      boolean not null default true,
  -- The number of days after the purchase in which a buyer may return tickets.
  withdrawal_days   integer not null default 7 constraint event_withdrawal_days check (withdrawal_days between 0 and 365),
  maximum_per_order integer not null default 20 constraint event_maximum_per_order check (maximum_per_order between 1 and 200),
  -- When orders need a solved challenge.
  challenge         text not null default 'auto' constraint event_challenge check (challenge in ('auto', 'always', 'off')),
  -- Whether the door admits tickets whose payment the buyer has disputed.
  disputed_tickets  text not null default 'admit' constraint event_disputed_tickets check (disputed_tickets in ('admit', 'refuse')),
  -- Whether guests who have left may enter again: not at all, once, or as often as they like.
  reentry           text not null default 'none' constraint event_reentry check (reentry in ('none', 'once', 'unlimited')),
  -- The address of a poster on another server.
  poster            text,
  -- The poster that was uploaded.
  picture_id        text constraint event_picture references picture,
  timezone          text not null,
  currency          text not null constraint event_currency check (currency ~ '^[A-Z]{3}$'),
  venue_name        text,
  venue_street      text,
  venue_city        text,
  venue_state       text constraint event_venue_state check (venue_state ~ '^[A-Z]{2}$'),
  venue_country     text constraint event_venue_country check (venue_country ~ '^[A-Z]{2}$'),
  venue_zip         text,
  venue_lat         double precision constraint event_venue_lat check (venue_lat between -90 and 90),
  venue_lng         double precision constraint event_venue_lng check (venue_lng between -180 and 180),
  -- From the start of the first session to the end of the last one. Null without sessions.
  starts_at         timestamptz,
  finishes_at       timestamptz,
  created_at        timestamptz not null,
  updated_at        timestamptz not null,
  constraint event_current_link foreign key (id, link) references event_link (event_id, link),
  constraint event_poster check (poster is null or picture_id is null),
  constraint event_venue_location check ((venue_lat is null) = (venue_lng is null)),
  constraint event_dates check ((starts_at is null) = (finishes_at is null) and starts_at < finishes_at)
);
-- The events of a producer.
create index event_of_producer on event (producer_id, id);
-- The public list of the events of a producer by date.
create index event_listed_of_producer on event (producer_id, starts_at, id) where status = 'published';
-- The events of a category, which cannot be deleted while it has events.
create index event_of_category on event (category_id, id);
-- The events of a picture, which cannot be removed while an event has it.
create index event_of_picture on event (picture_id) where picture_id is not null;
-- Public lists of events by date: all, by category, by state, and by both.
create index event_listed on event (starts_at, id) where status = 'published';
create index event_listed_in_category on event (category_id, starts_at, id) where status = 'published';
create index event_listed_in_state on event (venue_state, starts_at, id) where status = 'published';
create index event_listed_in_both on event (category_id, venue_state, starts_at, id) where status = 'published';
-- Events that are running at a time. Without it, a search would read every past event.
create index event_running on event using gist (tstzrange(starts_at, finishes_at)) where status = 'published';

-- A performance or a day of an event. `sold` and `held` count its tickets.
create table event_session (
  event_id    bigint not null constraint event_session_event references event,
  id          bigint generated always as identity,
  name        text not null constraint event_session_name check (length(name) between 1 and 200),
  starts_at   timestamptz not null,
  finishes_at timestamptz not null,
  -- Null: unlimited.
  capacity    integer constraint session_capacity_form check (capacity >= 0),
  sold        integer not null default 0 constraint session_sold check (sold >= 0),
  held        integer not null default 0 constraint session_held check (held >= 0),
  constraint event_session_pkey primary key (event_id, id),
  constraint session_capacity check (sold + held <= capacity),
  constraint session_order check (starts_at < finishes_at)
) with (fillfactor = 50);
-- The sessions of an event in the order of their dates.
create index event_session_by_date on event_session (event_id, starts_at, id);

-- Additional data of an event, by key.
create table event_attribute (
  event_id bigint not null constraint event_attribute_event references event,
  key      text not null constraint event_attribute_key check (length(key) between 1 and 100),
  value    jsonb not null,
  constraint event_attribute_pkey primary key (event_id, key)
);

-- A user who works on one event. For invitations see `producer_member`.
create table event_crew (
  event_id      bigint not null constraint event_crew_event references event,
  user_id       bigint not null constraint event_crew_user references app_user,
  role          text not null constraint event_crew_role
                check (role in ('admin', 'sales_manager', 'sales_operator', 'entrance_manager', 'entrance_operator')),
  created_at    timestamptz not null,
  invitation    bigint constraint event_crew_invitation unique,
  invited_email text,
  invited_name  text,
  constraint event_crew_pkey primary key (event_id, user_id),
  constraint event_crew_invited check (num_nulls(invitation, invited_email, invited_name) in (0, 3))
);
comment on column event_crew.invited_email is 'Personal data. Ends with: user erase';
comment on column event_crew.invited_name is 'Personal data. Ends with: user erase';
-- The events of a caller.
create index event_crew_of_user on event_crew (user_id);

-- The words of published events. A search reads the rows of a word in the order of the dates, so it costs the same for rare and common
-- words, however many events there were. (A GIN index returns matches in no order, past events included.)
create table event_word (
  event_id  bigint not null constraint event_word_event references event,
  word      text collate "C" not null,
  -- A word of the title has two rows: one for the title, and one for all texts.
  in_title  boolean not null,
  starts_at timestamptz not null,
  constraint event_word_pkey primary key (event_id, word, in_title)
);
-- The search for a word.
create index event_word_search on event_word (word, in_title, starts_at, event_id);

-- The job that refunds the orders of a cancelled event. The worker locks the row for each batch and writes its progress in the transaction of
-- the refunds. After a crash the next worker continues behind `last_order_id`.
create table event_cancellation (
  event_id      bigint constraint event_cancellation_pkey primary key constraint event_cancellation_event references event,
  status        text not null default 'running' constraint event_cancellation_status check (status in ('running', 'done')),
  reason        text,
  -- The number of approved orders when the first batch began. Null before.
  orders        integer constraint event_cancellation_orders check (orders >= 0),
  refunded      integer not null default 0 constraint event_cancellation_refunded check (refunded >= 0),
  failed        integer not null default 0 constraint event_cancellation_failed check (failed >= 0),
  amount        bigint not null default 0 constraint event_cancellation_amount check (amount >= 0),
  last_order_id bigint not null default 0,
  started_at    timestamptz not null,
  finished_at   timestamptz,
  constraint event_cancellation_done check ((status = 'done') = (finished_at is not null))
);
-- Jobs that are not finished.
create index event_cancellation_running on event_cancellation (started_at) where status = 'running';
