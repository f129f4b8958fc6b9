-- Users, producers, and how callers are recognized.

-- A person with an account.
create table app_user (
  id            bigint generated always as identity constraint app_user_pkey primary key,
  email         text not null constraint app_user_email unique
                constraint app_user_email_form check (email = lower(email) and length(email) <= 254),
  name          text not null constraint app_user_name check (length(name) between 1 and 200),
  -- Null until the user has chosen a password. Such a user cannot log in.
  password_hash text,
  admin         boolean not null default false,
  disabled_at   timestamptz,
  last_login_at timestamptz,
  created_at    timestamptz not null,
  updated_at    timestamptz not null
);
comment on column app_user.email is 'Personal data. Ends with: user erase';
comment on column app_user.name is 'Personal data. Ends with: user erase';

-- An organizer of events.
create table producer (
  id              bigint generated always as identity constraint producer_pkey primary key,
  name            text not null constraint producer_name check (length(name) between 1 and 200),
  currency        text not null default 'BRL' constraint producer_currency check (currency ~ '^[A-Z]{3}$'),
  -- Plain text for the public page of the producer.
  description     text constraint producer_description check (length(description) between 1 and 5000),
  -- Pages of the producer on the web: a list of objects with a kind and a URL.
  links           jsonb not null default '[]' constraint producer_links check (jsonb_typeof(links) = 'array' and jsonb_array_length(links) <= 10),
  -- The URL of a picture.
  logo            text,
  -- The producer's own account at a payment provider, which gets the money of the sales. Null: the platform gets it.
  payout_provider text constraint producer_payout_provider check (payout_provider ~ '^[a-z]{2,20}$'),
  payout_account  text constraint producer_payout_account check (length(payout_account) between 1 and 100),
  created_at      timestamptz not null,
  updated_at      timestamptz not null,
  constraint producer_payout check ((payout_provider is null) = (payout_account is null))
);

-- The ids that stand for invited people. They are far above the ids of users, so that both fit into the same paths.
create sequence invitation_number minvalue 1000000000000;

-- A user who may manage all events of a producer. Someone who was invited is shown as the inviter typed them until they have logged in:
-- inviting an address must not reveal whether it has an account.
create table producer_member (
  producer_id   bigint not null constraint producer_member_producer references producer,
  user_id       bigint not null constraint producer_member_user references app_user,
  role          text not null constraint producer_member_role check (role in ('owner', 'manager')),
  created_at    timestamptz not null,
  invitation    bigint constraint producer_member_invitation unique,
  invited_email text,
  invited_name  text,
  constraint producer_member_pkey primary key (producer_id, user_id),
  constraint producer_member_invited check (num_nulls(invitation, invited_email, invited_name) in (0, 3))
);
comment on column producer_member.invited_email is 'Personal data. Ends with: user erase';
comment on column producer_member.invited_name is 'Personal data. Ends with: user erase';
-- The producers of a caller.
create index producer_member_of_user on producer_member (user_id);

-- One log-in on one device, with all refresh tokens that followed from it.
create table auth_session (
  id              uuid constraint auth_session_pkey primary key,
  user_id         bigint not null constraint auth_session_user references app_user,
  -- Browser and operating system, so that users recognize their sessions. Null if unknown.
  device          text constraint auth_session_device check (length(device) between 1 and 100),
  created_at      timestamptz not null,
  -- The time of the last log-in or refresh.
  last_used_at    timestamptz not null,
  expires_at      timestamptz not null,
  revoked_at      timestamptz,
  revoked_because text,
  constraint auth_session_revoked check ((revoked_at is null) = (revoked_because is null))
);
comment on column auth_session.device is 'Personal data. Ends with: sessions';
-- The sessions of a user, to list and revoke them.
create index auth_session_of_user on auth_session (user_id);
-- Expired sessions, to delete them.
create index auth_session_expiry on auth_session (expires_at);

-- A refresh token. Only its hash is stored, so a copy of this table gives no access.
create table refresh_token (
  hash       bytea constraint refresh_token_pkey primary key constraint refresh_token_hash check (length(hash) = 32),
  session_id uuid not null constraint refresh_token_session references auth_session on delete cascade,
  issued_at  timestamptz not null,
  used_at    timestamptz
);
-- The tokens of a session, to delete them with the session.
create index refresh_token_of_session on refresh_token (session_id);

-- A second factor of a user: an authenticator app (TOTP), or a passkey of a device or security key (WebAuthn).
create table auth_factor (
  id            bigint generated always as identity constraint auth_factor_pkey primary key,
  user_id       bigint not null constraint auth_factor_user references app_user,
  kind          text not null constraint auth_factor_kind check (kind in ('totp', 'webauthn')),
  name          text not null constraint auth_factor_name check (length(name) between 1 and 100),
  -- The key of a TOTP, encrypted with SECRET_KEY, which is not in the database.
  sealed_secret bytea,
  -- The time step of the last TOTP code. A code works once.
  last_step     bigint,
  -- A WebAuthn credential. Its public key is no secret.
  credential_id text constraint auth_factor_credential unique,
  public_key    bytea,
  sign_count    bigint,
  transports    text[],
  created_at    timestamptz not null,
  -- Null until the user has proved that the factor works. Only then is it needed at log-in.
  confirmed_at  timestamptz,
  last_used_at  timestamptz,
  constraint auth_factor_totp check ((kind = 'totp') = (sealed_secret is not null)),
  constraint auth_factor_webauthn check (num_nulls(credential_id, public_key, sign_count) = case kind when 'webauthn' then 0 else 3 end)
);
comment on column auth_factor.name is 'Personal data. Ends with: user erase';
-- A user has at most one authenticator app.
create unique index auth_factor_one_totp on auth_factor (user_id) where kind = 'totp';
-- The factors of a user.
create index auth_factor_of_user on auth_factor (user_id, id);

-- A code that replaces a lost factor once. A code is random and long, so a plain hash cannot be reversed.
create table recovery_code (
  user_id bigint not null constraint recovery_code_user references app_user,
  hash    bytea not null constraint recovery_code_hash check (length(hash) = 32),
  constraint recovery_code_pkey primary key (user_id, hash)
);

-- A token that works once: it continues a log-in, registers a passkey, or is in the link of a mail. Only its hash is stored.
create table one_time_token (
  hash       bytea constraint one_time_token_pkey primary key constraint one_time_token_hash check (length(hash) = 32),
  user_id    bigint not null constraint one_time_token_user references app_user,
  purpose    text not null constraint one_time_token_purpose
             check (purpose in ('second_factor', 'webauthn_registration', 'invitation', 'password_reset')),
  -- The random value that a WebAuthn device signs.
  challenge  text,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
-- The tokens of a user, to revoke them.
create index one_time_token_of_user on one_time_token (user_id);
-- Expired tokens, to delete them.
create index one_time_token_expiry on one_time_token (expires_at);

-- What an API token may do. The token itself is a signed JWT that is shown once.
create table api_token (
  id          bigint generated always as identity constraint api_token_pkey primary key,
  user_id     bigint not null constraint api_token_user references app_user,
  name        text not null constraint api_token_name check (length(name) between 1 and 100),
  permissions text[] not null constraint api_token_permissions check (cardinality(permissions) > 0),
  -- Null: every event of its owner.
  event_ids   bigint[],
  -- The sales channels that the token may order through. Null: every channel that its permissions allow.
  channels    integer[],
  created_at  timestamptz not null,
  expires_at  timestamptz not null,
  revoked_at  timestamptz
);
comment on column api_token.name is 'Personal data. Ends with: user erase';
-- The tokens of a user.
create index api_token_of_user on api_token (user_id, id);

-- A key that signs access tokens. The newest key signs; retired keys verify until everything they signed has expired. The private key is
-- encrypted with SECRET_KEY, which is not in the database.
create table signing_key (
  kid        text constraint signing_key_pkey primary key,
  public_jwk jsonb not null,
  sealed_key bytea not null,
  created_at timestamptz not null,
  retired_at timestamptz
);
-- At most one key is not retired.
create unique index signing_key_current on signing_key ((true)) where retired_at is null;

-- Wrong passwords and passkeys, counted by account and network. No attempt is accepted before `blocked_until`.
create table login_failure (
  subject       text constraint login_failure_pkey primary key,
  failures      integer not null constraint login_failure_failures check (failures > 0),
  expires_at    timestamptz not null,
  blocked_until timestamptz
);
comment on column login_failure.subject is 'Personal data. Ends with: loginFailures';
-- Expired counts, to delete them.
create index login_failure_expiry on login_failure (expires_at);

-- Networks from which an account logged in lately. Guessing from other networks does not lock them out. Only a hash of account and network
-- is stored.
create table known_network (
  hash       bytea constraint known_network_pkey primary key constraint known_network_hash check (length(hash) = 32),
  expires_at timestamptz not null
);
comment on column known_network.hash is 'Personal data. Ends with: knownNetworks';
-- Expired networks, to delete them.
create index known_network_expiry on known_network (expires_at);
