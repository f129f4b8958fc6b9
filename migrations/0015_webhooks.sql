-- The feed of changes, and the webhooks that deliver it to other systems.

-- The outbox of changes. A row is written in the transaction of the change. It contains only what changed and when: the content is read when
-- it is delivered. The worker moves committed rows into the feed.
create table change (
  event_id bigint not null,
  id       bigint generated always as identity,
  type     text collate "C" not null,
  -- The object that changed, for example `order/1001`. The changes of one object are delivered in order.
  subject  text collate "C" not null,
  -- Which scan, if the change is a check-in.
  part     text collate "C",
  at       timestamptz not null,
  constraint change_pkey primary key (event_id, id)
);
-- Changes of all events in the order in which they were written.
create index change_in_order on change (id);

-- The changes of each producer. Only one process at a time adds rows, so a position is visible only after all lower positions are. A reader that
-- knows the last position it has read misses nothing.
create table feed_entry (
  position    bigint generated always as identity constraint feed_entry_pkey primary key,
  producer_id bigint not null constraint feed_entry_producer references producer,
  event_id    bigint not null,
  type        text collate "C" not null,
  subject     text collate "C" not null,
  part        text collate "C",
  at          timestamptz not null
);
-- The feed of a producer.
create index feed_entry_of_producer on feed_entry (producer_id, position);
-- Old entries, to delete them.
create index feed_entry_age on feed_entry (at);

-- Drawn before the row is inserted, because the secrets are encrypted for the id.
create sequence webhook_id;

-- An address that gets the changes of a producer. The secrets are encrypted with SECRET_KEY, which is not in the database.
create table webhook (
  id                bigint constraint webhook_pkey primary key,
  producer_id       bigint not null constraint webhook_producer references producer,
  url               text not null constraint webhook_url check (length(url) between 1 and 2000),
  types             text[] not null constraint webhook_types check (cardinality(types) > 0),
  paused            boolean not null,
  sealed_secret     bytea not null,
  -- The previous secret. It signs too until this time.
  sealed_old_secret bytea,
  old_secret_until  timestamptz,
  -- Changes up to this position of the feed are queued in webhook_delivery.
  position          bigint not null,
  -- How often in a row the address could not be reached. Until `retry_at` nothing is sent.
  failures          integer not null default 0 constraint webhook_failures check (failures >= 0),
  failing_since     timestamptz,
  retry_at          timestamptz,
  created_at        timestamptz not null,
  updated_at        timestamptz not null,
  constraint webhook_old_secret check (num_nulls(sealed_old_secret, old_secret_until) in (0, 2)),
  constraint webhook_failing check (num_nulls(failing_since, retry_at) = case failures when 0 then 2 else 0 end)
);
-- The webhooks of a producer.
create index webhook_of_producer on webhook (producer_id, id);

-- A change that a webhook delivers, and the log of the last attempt.
create table webhook_delivery (
  webhook_id         bigint not null constraint webhook_delivery_webhook references webhook on delete cascade,
  id                 bigint generated always as identity,
  -- The position in the feed. A test has no position and no event.
  position           bigint,
  event_id           bigint,
  type               text collate "C" not null,
  subject            text collate "C" not null,
  part               text collate "C",
  changed_at         timestamptz not null,
  status             text not null default 'pending' constraint webhook_delivery_status check (status in ('pending', 'delivered', 'parked')),
  attempts           integer not null default 0 constraint webhook_delivery_attempts check (attempts >= 0),
  next_attempt_at    timestamptz not null,
  created_at         timestamptz not null,
  first_attempted_at timestamptz,
  -- The last attempt.
  attempted_at       timestamptz,
  duration_ms        integer,
  response_status    integer,
  -- The start of the response, at most 1 kB.
  response           text,
  error              text,
  constraint webhook_delivery_pkey primary key (webhook_id, id),
  constraint webhook_delivery_test check (num_nulls(position, event_id) in (0, 2)),
  constraint webhook_delivery_attempted check (num_nulls(first_attempted_at, attempted_at, duration_ms) = case attempts when 0 then 3 else 0 end)
);
comment on column webhook_delivery.response is 'Personal data. Ends with: webhookDeliveries';
-- What is still to be delivered, oldest first.
create index webhook_delivery_pending on webhook_delivery (webhook_id, id) where status = 'pending';
-- Whether an earlier change of the same object is still to be delivered.
create index webhook_delivery_subject on webhook_delivery (webhook_id, subject, id) where status = 'pending';
-- Parked deliveries, for the metrics.
create index webhook_delivery_parked on webhook_delivery (webhook_id, id) where status = 'parked';
-- Old deliveries, to delete them.
create index webhook_delivery_age on webhook_delivery (created_at);
