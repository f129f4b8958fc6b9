-- Passkeys: words that unlock hidden items.

-- A passkey. `used` and `held` count the tickets that were ordered with it. A deleted passkey stays for orders and reports.
create table passkey (
  event_id    bigint not null constraint passkey_event references event,
  id          bigint generated always as identity,
  code        text not null constraint passkey_code_form check (length(code) between 3 and 64),
  starts_at   timestamptz,
  finishes_at timestamptz,
  -- Null: unlimited.
  use_limit   integer constraint passkey_limit_form check (use_limit >= 1),
  used        integer not null default 0 constraint passkey_used check (used >= 0),
  held        integer not null default 0 constraint passkey_held check (held >= 0),
  created_at  timestamptz not null,
  updated_at  timestamptz not null,
  deleted_at  timestamptz,
  constraint passkey_pkey primary key (event_id, id),
  constraint passkey_limit check (used + held <= use_limit),
  constraint passkey_order check (starts_at <= finishes_at)
) with (fillfactor = 70);
-- The event of a passkey, for requests that name only the passkey.
create index passkey_by_id on passkey (id);
-- The passkey that a buyer typed. The code of a deleted passkey can be used again.
create unique index passkey_code on passkey (event_id, lower(code)) where deleted_at is null;

-- The items that a passkey unlocks.
create table passkey_item (
  event_id   bigint not null,
  passkey_id bigint not null,
  item_id    bigint not null,
  constraint passkey_item_pkey primary key (event_id, passkey_id, item_id),
  constraint passkey_item_passkey foreign key (event_id, passkey_id) references passkey (event_id, id),
  constraint passkey_item_item foreign key (event_id, item_id) references item (event_id, id)
);
