-- Events, when and where they happen, and who works on them.

create table category (
  id       bigint generated always as identity primary key,
  slug     text not null unique check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
  name     text not null check (length(name) between 1 and 100),
  position integer not null
);

create table event (
  id            bigint generated always as identity primary key,
  producer_id   bigint not null references producer,
  category_id   bigint not null references category,
  title         text not null check (length(title) between 1 and 200),
  link          text not null unique check (link ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and link !~ '^[0-9]+$'),
  description   text not null default '',
  status        text not null default 'draft' check (status in ('draft', 'published', 'private', 'cancelled')),
  sale_enabled  boolean not null default true,
  poster        text,
  timezone      text not null,
  currency      text not null check (currency ~ '^[A-Z]{3}$'),
  venue_name    text,
  venue_street  text,
  venue_city    text,
  venue_state   text check (venue_state ~ '^[A-Z]{2}$'),
  venue_country text check (venue_country ~ '^[A-Z]{2}$'),
  venue_zip     text,
  venue_lat     double precision check (venue_lat between -90 and 90),
  venue_lng     double precision check (venue_lng between -180 and 180),
  created_at    timestamptz not null,
  updated_at    timestamptz not null,
  check ((venue_lat is null) = (venue_lng is null))
);
create index event_producer on event (producer_id, id);
create index event_category on event (category_id, id);

create table event_session (
  id          bigint generated always as identity primary key,
  event_id    bigint not null references event,
  name        text not null check (length(name) between 1 and 200),
  starts_at   timestamptz not null,
  finishes_at timestamptz not null,
  capacity    integer check (capacity >= 0),
  sold        integer not null default 0 check (sold >= 0),
  held        integer not null default 0 check (held >= 0),
  unique (event_id, id),
  constraint session_capacity check (sold + held <= capacity),
  constraint session_order check (starts_at < finishes_at)
);

create table event_attribute (
  event_id bigint not null references event,
  key      text not null check (length(key) between 1 and 100),
  value    jsonb not null,
  primary key (event_id, key)
);

create table event_crew (
  event_id   bigint not null references event,
  user_id    bigint not null references app_user,
  role       text not null check (role in ('admin', 'sales_manager', 'sales_operator', 'entrance_manager', 'entrance_operator')),
  created_at timestamptz not null,
  primary key (event_id, user_id)
);
create index event_crew_user on event_crew (user_id);
