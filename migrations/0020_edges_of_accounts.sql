-- Wrong passwords are counted by account and network with growing delays: no attempt is accepted before `blocked_until`.
alter table login_failure add column blocked_until timestamptz;

-- Networks from which an account logged in lately. Guessing from elsewhere does not lock them out. Only a hash of account and
-- network is stored, for 90 days.
create table known_network (
  hash       bytea primary key check (length(hash) = 32),
  expires_at timestamptz not null
);
create index known_network_expiry on known_network (expires_at);

comment on column idempotency_key.created_at is
  'The row is deleted 7 days after this. Refusals of anonymous callers are dated back by 6 days, so that they live for one day.';

-- A member who was invited by another member is shown as the inviter typed them until they have signed in after the invitation:
-- inviting an address must not tell whether it has an account, nor whose it is. Until then `invitation` stands for their id. These
-- numbers are far above those of users, so that both fit into the same paths.
alter table app_user add column last_login_at timestamptz;

create sequence invitation_number minvalue 1000000000000;

alter table producer_member
  add column invitation bigint unique,
  add column invited_email text,
  add column invited_name text,
  add constraint producer_member_invitation check (num_nulls(invitation, invited_email, invited_name) in (0, 3));

alter table event_crew
  add column invitation bigint unique,
  add column invited_email text,
  add column invited_name text,
  add constraint event_crew_invitation check (num_nulls(invitation, invited_email, invited_name) in (0, 3));
