-- What is for sale. Every limit is a counter beside its bound, and a check that neither can pass.

create table item (
  id          bigint generated always as identity primary key,
  event_id    bigint not null references event,
  parent_id   bigint,
  type        text not null check (type in ('ticket', 'group', 'passport', 'courtesy', 'external')),
  name        text not null check (length(name) between 1 and 200),
  description text not null default '',
  position    integer not null default 0,
  quantity    integer check (quantity >= 0),
  sold        integer not null default 0 check (sold >= 0),
  held        integer not null default 0 check (held >= 0),
  hidden      boolean not null default false,
  salable     boolean not null default true,
  archived    boolean not null default false,
  created_at  timestamptz not null,
  updated_at  timestamptz not null,
  unique (event_id, id),
  foreign key (event_id, parent_id) references item (event_id, id),
  constraint item_quantity check (sold + held <= quantity),
  constraint group_has_no_parent check (type <> 'group' or parent_id is null)
);
create index item_order on item (event_id, position, id);
create index item_parent on item (parent_id) where parent_id is not null;

create table item_session (
  event_id   bigint not null,
  item_id    bigint not null,
  session_id bigint not null,
  primary key (item_id, session_id),
  foreign key (event_id, item_id) references item (event_id, id),
  foreign key (event_id, session_id) references event_session (event_id, id)
);
create index item_session_session on item_session (session_id);

create table item_attribute (
  item_id bigint not null references item,
  key     text not null check (length(key) between 1 and 100),
  type    text not null check (type in ('integer', 'decimal', 'boolean', 'string', 'datetime')),
  value   text not null,
  primary key (item_id, key)
);

create table item_values (
  item_id      bigint primary key references item,
  price        bigint not null check (price >= 0),
  fee_sale     bigint not null check (fee_sale >= 0),
  fee_producer bigint not null check (fee_producer >= 0)
);

create table sale_period (
  item_id         bigint not null references item,
  app_category_id integer not null check (app_category_id > 0),
  starts_at       timestamptz not null,
  finishes_at     timestamptz not null,
  available       integer not null check (available >= 0),
  sold            integer not null default 0 check (sold >= 0),
  held            integer not null default 0 check (held >= 0),
  primary key (item_id, app_category_id),
  constraint sale_period_available check (sold + held <= available),
  constraint sale_period_order check (starts_at < finishes_at)
);
