-- What every capability uses: repeated requests, the audit log, mail, and the removal of old data.

-- Tables that are only appended to have this function as a trigger.
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end $$;

-- The response to a request with an Idempotency-Key, written in the transaction of the request. The key is stored as a hash and the
-- response is encrypted with a secret derived from the key, so a copy of this table reveals neither. A key belongs to a caller and not to an
-- event: using one key for two requests is an error, even if the requests are about different events.
create table idempotency_key (
  caller      text not null,
  key_hash    bytea not null constraint idempotency_key_hash check (length(key_hash) = 32),
  fingerprint bytea not null constraint idempotency_key_fingerprint check (length(fingerprint) = 32),
  answer      bytea,
  -- Old rows are deleted by this time. It is moved back for rows that are kept for a shorter time.
  created_at  timestamptz not null,
  constraint idempotency_key_pkey primary key (caller, key_hash)
);
comment on column idempotency_key.answer is 'Personal data. Ends with: idempotencyKeys';
-- Old keys, to delete them.
create index idempotency_key_age on idempotency_key (created_at);

-- Who changed what. Partitioned by month, so that old months can be dropped.
create table audit_log (
  -- 0 if the change belongs to no event.
  event_id    bigint not null,
  id          bigint generated always as identity,
  at          timestamptz not null,
  actor_kind  text not null constraint audit_log_actor_kind check (actor_kind in ('anonymous', 'device', 'system', 'user')),
  -- The id of a user or device, or the name of a command.
  actor       text,
  -- The API token that the user sent, if any.
  api_token   bigint,
  operation   text not null,
  request_id  text not null,
  producer_id bigint,
  subject     text not null,
  subject_id  text not null,
  before      jsonb,
  after       jsonb,
  constraint audit_log_pkey primary key (event_id, id, at)
) partition by range (at);
comment on column audit_log.before is 'Personal data. Ends with: auditPartitions';
comment on column audit_log.after is 'Personal data. Ends with: auditPartitions';
-- The entries about the events and members of a producer.
create index audit_log_producer on audit_log (producer_id, id) where producer_id is not null;
-- The history of one object.
create index audit_log_subject on audit_log (subject, subject_id, id);
create trigger audit_log_append_only before update or delete or truncate on audit_log for each statement execute function refuse_change();

-- Creates the partition of the month that begins at this time. A statement trigger applies only to the table that the statement names, so
-- each partition has its own. Attaching a table locks out nobody, unlike `create table … partition of`.
create function add_audit_log_month(month_start timestamptz) returns void language plpgsql as $$
declare name text := 'audit_log_' || to_char(month_start at time zone 'UTC', 'YYYYMM');
begin
  execute format('create table %I (like audit_log including defaults including constraints)', name);
  execute format('create trigger audit_log_append_only before update or delete or truncate on %I
                    for each statement execute function refuse_change()', name);
  execute format('alter table audit_log attach partition %I for values from (%L) to (%L)', name, month_start,
                 (month_start at time zone 'UTC' + interval '1 month') at time zone 'UTC');
end $$;

-- Drops the default partition with its rows and creates an empty one. It takes entries whose month has no partition.
create function renew_audit_log_default() returns void language plpgsql as $$
begin
  drop table if exists audit_log_default;
  create table audit_log_default partition of audit_log default;
  create trigger audit_log_append_only before update or delete or truncate on audit_log_default
    for each statement execute function refuse_change();
end $$;
select renew_audit_log_default();
-- This month and the next three, as the worker would create them. The first entries are written before a worker runs, and a month with entries
-- in the default partition cannot get a partition of its own.
select add_audit_log_month((date_trunc('month', now() at time zone 'UTC') + make_interval(months => later)) at time zone 'UTC')
  from generate_series(0, 3) as later;

-- The outbox. A mail is queued in the transaction that it reports on, and the worker sends it later.
create table mail (
  -- 0 if the mail belongs to no event.
  event_id        bigint not null default 0,
  id              bigint generated always as identity,
  -- The template. It decides what the payload contains.
  kind            text not null,
  -- Null if the template reads the address from the order.
  recipient       text,
  locale          text not null constraint mail_locale check (locale in ('pt-BR', 'en', 'es')),
  -- Null after the content was erased.
  payload         jsonb,
  -- Of mails with the same key only one is sent. The key starts with the subject of the mail, for example `order/1001/`.
  dedupe_key      text collate "C" not null,
  status          text not null default 'queued' constraint mail_status check (status in ('queued', 'sent', 'failed')),
  attempts        integer not null default 0 constraint mail_attempts check (attempts >= 0),
  next_attempt_at timestamptz not null,
  last_error      text,
  -- The same for all attempts, so that a mail program can detect duplicates.
  message_id      uuid not null default gen_random_uuid(),
  created_at      timestamptz not null,
  sent_at         timestamptz,
  constraint mail_pkey primary key (event_id, id),
  -- Also finds the mails about an order, whose keys start with the same text.
  constraint mail_once unique (event_id, dedupe_key),
  constraint mail_sent check ((status = 'sent') = (sent_at is not null)),
  constraint mail_content check (status <> 'queued' or payload is not null)
);
comment on column mail.recipient is 'Personal data. Ends with: mailContents, anonymizeOrder';
comment on column mail.payload is 'Personal data. Ends with: mailContents, anonymizeOrder';
comment on column mail.last_error is 'Personal data. Ends with: mailContents, anonymizeOrder';
-- Mails that are due.
create index mail_due on mail (next_attempt_at, id) where status = 'queued';
-- Failed mails, for the metrics.
create index mail_failed on mail (id) where status = 'failed' and payload is not null;
-- Old mails whose content is still stored.
create index mail_to_erase on mail (created_at) where status <> 'queued' and payload is not null;
-- Old mails without content, to delete them.
create index mail_to_delete on mail (created_at) where status <> 'queued' and payload is null;

-- How many mails were requested in an hour or a day, by recipient and by network. Free orders must not flood a mailbox.
create table mail_count (
  -- `to:` with a hash of the address, or `network:` with the network of the caller. Mails about accounts have their own counts, whose scope
  -- starts with the kind of the mail.
  scope  text collate "C" not null,
  -- The start of the hour or day.
  period timestamptz not null,
  n      integer not null constraint mail_count_n check (n > 0),
  constraint mail_count_pkey primary key (scope, period)
) with (fillfactor = 80);
comment on column mail_count.scope is 'Personal data. Ends with: mailCounts';
-- Old counts, to delete them.
create index mail_count_period on mail_count (period);

-- The salt of the key that signs links to files. The key itself is derived from the salt and SECRET_KEY.
create table file_link_key (
  only_one boolean constraint file_link_key_pkey primary key default true constraint file_link_key_only_one check (only_one),
  secret   bytea not null constraint file_link_key_secret check (length(secret) = 32)
);
insert into file_link_key (secret) values (sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')));

-- The result of removing each kind of old data. The metrics show the counts.
create table retention_status (
  kind           text constraint retention_status_pkey primary key,
  removed        bigint not null default 0 constraint retention_status_removed check (removed >= 0),
  failures       bigint not null default 0 constraint retention_status_failures check (failures >= 0),
  last_done_at   timestamptz,
  last_failed_at timestamptz,
  last_error     text
);

-- A picture that was uploaded. Its files are in the file store. The row is written before the files, so that files that nothing refers to can
-- be found and removed.
create table picture (
  -- A hash of the content of all files.
  id       text constraint picture_pkey primary key constraint picture_id_form check (id ~ '^[0-9a-f]{32}$'),
  -- The size of the largest file.
  width    integer not null constraint picture_width check (width between 1 and 9999),
  height   integer not null constraint picture_height check (height between 1 and 9999),
  -- There is a file in each of these widths and each of these formats.
  widths   integer[] not null constraint picture_widths check (width = any (widths)),
  formats  text[] not null constraint picture_formats check (formats <@ array['avif', 'webp'] and 'webp' = any (formats)),
  -- The average colour.
  color    text not null constraint picture_color check (color ~ '^#[0-9a-f]{6}$'),
  -- When it was last uploaded, or when an object stopped referring to it.
  used_at  timestamptz not null,
  -- Set while its files are being removed. It cannot be used again.
  removing boolean not null default false
);
-- Pictures that were not used for a time, to remove them.
create index picture_age on picture (used_at);

-- The logo that was uploaded. `logo` is the address of a logo on another server.
alter table producer add column picture_id text constraint producer_picture references picture,
  add constraint producer_logo check (logo is null or picture_id is null);
-- The producers of a picture, which cannot be removed while a producer has it.
create index producer_of_picture on producer (picture_id) where picture_id is not null;
