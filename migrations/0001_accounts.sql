-- Who is calling, what they may do, and what they did.

create table app_user (
  id            bigint generated always as identity primary key,
  email         text not null unique check (email = lower(email) and length(email) <= 254),
  name          text not null check (length(name) between 1 and 200),
  password_hash text,                        -- null: invited, cannot log in yet
  admin         boolean not null default false,
  disabled_at   timestamptz,
  created_at    timestamptz not null,
  updated_at    timestamptz not null
);

create table producer (
  id         bigint generated always as identity primary key,
  name       text not null check (length(name) between 1 and 200),
  currency   text not null default 'BRL' check (currency ~ '^[A-Z]{3}$'),
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create table producer_member (
  producer_id bigint not null references producer,
  user_id     bigint not null references app_user,
  role        text not null check (role in ('owner', 'manager')),
  created_at  timestamptz not null,
  primary key (producer_id, user_id)
);
create index producer_member_user on producer_member (user_id);

-- One sign-in on one device: all refresh tokens that followed from it form a family.
create table auth_session (
  id         uuid primary key,
  user_id    bigint not null references app_user,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  revoked_because text,
  check ((revoked_at is null) = (revoked_because is null))
);
create index auth_session_user on auth_session (user_id);
create index auth_session_expiry on auth_session (expires_at);

-- Only the hash is kept: reading this table lets nobody in.
create table refresh_token (
  hash       bytea primary key check (length(hash) = 32),
  session_id uuid not null references auth_session on delete cascade,
  issued_at  timestamptz not null,
  used_at    timestamptz
);
create index refresh_token_session on refresh_token (session_id);

-- The token itself is a signed JWT that is shown once; this row says what it may do and whether it still may.
create table api_token (
  id          bigint generated always as identity primary key,
  user_id     bigint not null references app_user,
  name        text not null check (length(name) between 1 and 100),
  permissions text[] not null check (cardinality(permissions) > 0),
  event_ids   bigint[],                      -- null: every event of its owner
  created_at  timestamptz not null,
  expires_at  timestamptz not null,
  revoked_at  timestamptz
);
create index api_token_user on api_token (user_id, id);

-- The newest key signs; retired ones verify until everything they signed has expired.
create table signing_key (
  kid         text primary key,
  public_jwk  jsonb not null,
  private_jwk jsonb not null,
  created_at  timestamptz not null,
  retired_at  timestamptz
);
create unique index signing_key_current on signing_key ((true)) where retired_at is null;

-- Failed log-ins in the running window, by account and by address.
create table login_failure (
  subject    text primary key,
  failures   integer not null check (failures > 0),
  expires_at timestamptz not null
);
create index login_failure_expiry on login_failure (expires_at);

-- Key and answer are written in the transaction of the effect. The key is kept only as a hash and the answer is sealed with a
-- secret made from the key, so that this table gives away neither tokens nor personal data.
create table idempotency_key (
  caller      text not null,
  key_hash    bytea not null check (length(key_hash) = 32),
  fingerprint bytea not null check (length(fingerprint) = 32),
  answer      bytea,
  created_at  timestamptz not null,
  primary key (caller, key_hash)
);
create index idempotency_key_age on idempotency_key (created_at);

create table audit_log (
  id          bigint generated always as identity primary key,
  at          timestamptz not null,
  actor_kind  text not null check (actor_kind in ('anonymous', 'system', 'user')),
  actor       text,                          -- user id, or the name of a command
  api_token   bigint,                        -- the token that acted for the user, if one did
  operation   text not null,
  request_id  text not null,
  producer_id bigint,
  event_id    bigint,
  subject     text not null,
  subject_id  text not null,
  before      jsonb,
  after       jsonb
);
create index audit_log_event on audit_log (event_id, id) where event_id is not null;
create index audit_log_producer on audit_log (producer_id, id) where producer_id is not null;
create index audit_log_subject on audit_log (subject, subject_id, id);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end $$;

create trigger audit_log_append_only before update or delete or truncate on audit_log
  for each statement execute function refuse_change();
