-- Words that open hidden items. What a passkey may open in all is a counter beside its bound, as with everything that runs out.

create table passkey (
  id          bigint generated always as identity primary key,
  event_id    bigint not null references event,
  code        text not null check (length(code) between 3 and 64),
  starts_at   timestamptz,
  finishes_at timestamptz,
  use_limit   integer check (use_limit >= 1),
  used        integer not null default 0 check (used >= 0),
  held        integer not null default 0 check (held >= 0),
  created_at  timestamptz not null,
  updated_at  timestamptz not null,
  deleted_at  timestamptz,
  unique (event_id, id),
  constraint passkey_limit check (used + held <= use_limit),
  constraint passkey_order check (starts_at <= finishes_at)
);
-- One that is deleted stays for orders and reports, and its code is free again.
create unique index passkey_code on passkey (event_id, lower(code)) where deleted_at is null;

create table passkey_item (
  event_id   bigint not null,
  passkey_id bigint not null,
  item_id    bigint not null,
  primary key (event_id, passkey_id, item_id),
  foreign key (event_id, passkey_id) references passkey (event_id, id),
  foreign key (event_id, item_id) references item (event_id, id)
);
