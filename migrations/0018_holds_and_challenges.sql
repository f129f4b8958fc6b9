-- Limits on unpaid holds: tickets per order, open and recently lapsed holds per network, and proof-of-work challenges.

alter table event
  add column maximum_per_order integer not null default 20 constraint event_maximum_per_order check (maximum_per_order between 1 and 200),
  add column challenge text not null default 'auto' constraint event_challenge check (challenge in ('auto', 'always', 'off'));

-- The network that placed a hold, as a hash. It is erased when the order leaves the status `held`, so it needs no index.
alter table ticket_order add column network bigint;

-- Unpaid tickets by network. `held` counts open holds. `lapsed` counts tickets of holds that expired or were cancelled; it decays to zero within
-- 30 minutes of `lapsed_at`. The lock of the item guards its rows.
create table network_hold (
  event_id  bigint not null,
  network   bigint not null,
  item_id   bigint not null,
  held      integer not null check (held >= 0),
  lapsed    real not null check (lapsed >= 0),
  lapsed_at timestamptz not null,
  primary key (event_id, network, item_id)
) with (fillfactor = 80);

-- Challenges that bought an order. Each works once, so its row stays until the challenge expires.
create table spent_challenge (
  nonce      bytea constraint spent_challenge_once primary key,
  expires_at timestamptz not null
);
create index spent_challenge_expires on spent_challenge (expires_at);

-- Sales channels that an API token may order through. Null means every channel that its permissions allow.
alter table api_token add column channels integer[];
