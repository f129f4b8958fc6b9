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
