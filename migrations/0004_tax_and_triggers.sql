-- What the platform takes of a price. Rates and shares are kept in ten-thousandths of a percent, so that arithmetic stays whole.

create table producer_tax_policy (
  producer_id     bigint primary key references producer,
  rate_e4         integer not null check (rate_e4 between 0 and 1000000),
  minimum         bigint not null check (minimum >= 0),
  distribution_e4 integer not null check (distribution_e4 between 0 and 1000000)
);

create table event_tax_policy (
  event_id        bigint primary key references event,
  rate_e4         integer not null check (rate_e4 between 0 and 1000000),
  minimum         bigint not null check (minimum >= 0),
  distribution_e4 integer not null check (distribution_e4 between 0 and 1000000)
);

-- One item opens or closes another, once.
create table item_trigger (
  id             bigint generated always as identity primary key,
  event_id       bigint not null,
  item_id        bigint not null,
  on_what        text not null check (on_what in ('soldout', 'start', 'finish')),
  action         text not null check (action in ('open', 'close')),
  target_item_id bigint not null,
  fired_at       timestamptz,
  unique (item_id, on_what, action, target_item_id),
  foreign key (event_id, item_id) references item (event_id, id),
  foreign key (event_id, target_item_id) references item (event_id, id),
  constraint trigger_of_another check (item_id <> target_item_id)
);
create index item_trigger_event on item_trigger (event_id);
create index item_trigger_due on item_trigger (item_id) where fired_at is null and on_what in ('start', 'finish');
