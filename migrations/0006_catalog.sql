-- What is for sale. Each limit is a counter next to its bound, with a check constraint that refuses a counter above the bound. Rows with
-- counters change often, so their pages are half empty: PostgreSQL then writes the new version into the same page and updates no index.

-- A kind of ticket, or a group of items with a common limit.
create table item (
  event_id    bigint not null constraint item_event references event,
  id          bigint generated always as identity,
  -- The group of the item.
  parent_id   bigint,
  type        text not null constraint item_type check (type in ('ticket', 'group', 'passport', 'courtesy', 'external')),
  name        text not null constraint item_name check (length(name) between 1 and 200),
  description text not null default '',
  position    integer not null default 0,
  -- Null: unlimited.
  quantity    integer constraint item_quantity_form check (quantity >= 0),
  sold        integer not null default 0 constraint item_sold check (sold >= 0),
  held        integer not null default 0 constraint item_held check (held >= 0),
  hidden      boolean not null default false,
  salable     boolean not null default true,
  archived    boolean not null default false,
  created_at  timestamptz not null,
  updated_at  timestamptz not null,
  constraint item_pkey primary key (event_id, id),
  constraint item_group foreign key (event_id, parent_id) references item (event_id, id),
  constraint item_quantity check (sold + held <= quantity),
  constraint group_has_no_parent check (type <> 'group' or parent_id is null)
) with (fillfactor = 50);
-- The event of an item, for requests that name only the item.
create index item_by_id on item (id);
-- The items of an event in the order that the producer chose.
create index item_order on item (event_id, position, id);
-- The items of a group.
create index item_in_group on item (event_id, parent_id) where parent_id is not null;

-- The sessions for which an item is valid. Without rows, the item is valid for all sessions of its event.
create table item_session (
  event_id   bigint not null,
  item_id    bigint not null,
  session_id bigint not null,
  constraint item_session_pkey primary key (event_id, item_id, session_id),
  constraint item_session_item foreign key (event_id, item_id) references item (event_id, id),
  constraint item_session_session foreign key (event_id, session_id) references event_session (event_id, id)
);
-- The items of a session, which cannot be deleted while it has items.
create index item_session_of_session on item_session (event_id, session_id);

-- Additional data of an item, by key. Some keys are limits, for example `maximumPerBuyer`.
create table item_attribute (
  event_id bigint not null,
  item_id  bigint not null,
  key      text not null constraint item_attribute_key check (length(key) between 1 and 100),
  type     text not null constraint item_attribute_type check (type in ('integer', 'decimal', 'boolean', 'string', 'datetime')),
  value    text not null,
  constraint item_attribute_pkey primary key (event_id, item_id, key),
  constraint item_attribute_item foreign key (event_id, item_id) references item (event_id, id)
);

-- The price of an item in cents, and the fees for buyer and producer.
create table item_values (
  event_id     bigint not null,
  item_id      bigint not null,
  price        bigint not null constraint item_values_price check (price >= 0),
  fee_sale     bigint not null constraint item_values_fee_sale check (fee_sale >= 0),
  fee_producer bigint not null constraint item_values_fee_producer check (fee_producer >= 0),
  constraint item_values_pkey primary key (event_id, item_id),
  constraint item_values_item foreign key (event_id, item_id) references item (event_id, id)
);

-- When and how many of an item are for sale through one sales channel.
create table sale_period (
  event_id        bigint not null,
  item_id         bigint not null,
  app_category_id integer not null constraint sale_period_channel check (app_category_id > 0),
  starts_at       timestamptz not null,
  finishes_at     timestamptz not null,
  available       integer not null constraint sale_period_available_form check (available >= 0),
  sold            integer not null default 0 constraint sale_period_sold check (sold >= 0),
  held            integer not null default 0 constraint sale_period_held check (held >= 0),
  constraint sale_period_pkey primary key (event_id, item_id, app_category_id),
  constraint sale_period_item foreign key (event_id, item_id) references item (event_id, id),
  constraint sale_period_available check (sold + held <= available),
  constraint sale_period_order check (starts_at < finishes_at)
) with (fillfactor = 50);

-- Opens or closes another item, once, when an item is sold out or its sale starts or ends.
create table item_trigger (
  event_id       bigint not null,
  id             bigint generated always as identity,
  item_id        bigint not null,
  on_what        text not null constraint item_trigger_on_what check (on_what in ('soldout', 'start', 'finish')),
  action         text not null constraint item_trigger_action check (action in ('open', 'close')),
  target_item_id bigint not null,
  fired_at       timestamptz,
  constraint item_trigger_pkey primary key (event_id, id),
  constraint item_trigger_once unique (event_id, item_id, on_what, action, target_item_id),
  constraint item_trigger_item foreign key (event_id, item_id) references item (event_id, id),
  constraint item_trigger_target foreign key (event_id, target_item_id) references item (event_id, id),
  constraint item_trigger_of_another check (item_id <> target_item_id)
);
-- Triggers that wait for a time, for the worker.
create index item_trigger_due on item_trigger (event_id, item_id) where fired_at is null and on_what in ('start', 'finish');
