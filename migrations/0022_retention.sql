-- no transaction
-- What is removed after its time: an index to find old holds, how retention went, and an audit log that is dropped month by month.

-- Every kind of old data that is removed, and how that went. Failures and removals are counted for ever, for the metrics.
create table if not exists retention_status (
  kind           text primary key,
  removed        bigint not null default 0 check (removed >= 0),
  failures       bigint not null default 0 check (failures >= 0),
  last_done_at   timestamptz,
  last_failed_at timestamptz,
  last_error     text
);

-- Orders that came to nothing and still name somebody.
drop index concurrently if exists ticket_order_to_anonymize;

create index concurrently ticket_order_to_anonymize on ticket_order (closed_at)
  where status in ('expired', 'cancelled') and buyer_email is not null;

-- Mails that have no content any more, and notices that were dealt with: these are deleted some time later.
drop index concurrently if exists mail_to_delete;

create index concurrently mail_to_delete on mail (created_at) where status <> 'queued' and payload is null;

drop index concurrently if exists payment_notice_to_delete;

create index concurrently payment_notice_to_delete on payment_notice (received_at) where status in ('applied', 'ignored');

-- Makes the partition of the month that begins then. A trigger for statements holds only on the table that a statement names, so that
-- each partition has its own. The partition is attached, which, other than `create table … partition of`, locks nobody out.
create or replace function add_audit_log_month(month_start timestamptz) returns void language plpgsql as $$
declare name text := 'audit_log_' || to_char(month_start at time zone 'UTC', 'YYYYMM');
begin
  execute format('create table %I (like audit_log including defaults including constraints)', name);
  execute format('create trigger audit_log_append_only before update or delete or truncate on %I
                    for each statement execute function refuse_change()', name);
  execute format('alter table audit_log attach partition %I for values from (%L) to (%L)', name, month_start,
                 (month_start at time zone 'UTC' + interval '1 month') at time zone 'UTC');
end $$;

-- Drops the default partition with what it holds, and makes an empty one.
create or replace function renew_audit_log_default() returns void language plpgsql as $$
begin
  drop table if exists audit_log_default;
  create table audit_log_default partition of audit_log default;
  create trigger audit_log_append_only before update or delete or truncate on audit_log_default
    for each statement execute function refuse_change();
end $$;

-- From here on: audit_log becomes a table partitioned by month, without copying a row. What it holds becomes the first partition, with
-- everything until the end of next month, so that no entry that is written meanwhile violates the check.
do $$
begin
  if exists (select from pg_constraint where conrelid = 'audit_log'::regclass and conname like 'audit_log_until_%') then return; end if;
  execute (
    select format('alter table audit_log add constraint %I check (at < %L) not valid', 'audit_log_until_' || to_char(until at time zone 'UTC', 'YYYYMM'), until)
      from (select (date_trunc('month', greatest(now(), (select max(at) from audit_log)) at time zone 'UTC') + interval '2 months') at time zone 'UTC') as bound (until));
end $$;

-- Reads the whole table, and keeps nobody from writing.
do $$
declare name text := (select conname from pg_constraint where conrelid = 'audit_log'::regclass and conname like 'audit_log_until_%' and not convalidated);
begin
  if name is not null then execute format('alter table audit_log validate constraint %I', name); end if;
end $$;

-- The primary key of a partition has to hold the column by which it is partitioned. Left over where the migration broke off.
drop index concurrently if exists audit_log_first_key;

create unique index concurrently audit_log_first_key on audit_log (id, at);

do $$
declare
  bound text := (select right(conname, 6) from pg_constraint where conrelid = 'audit_log'::regclass and conname like 'audit_log_until_%');
  last_id bigint;
begin
  lock table audit_log in access exclusive mode;
  last_id := (select coalesce(max(id), 0) from audit_log);
  alter table audit_log rename to audit_log_first;
  alter table audit_log_first alter column id drop identity, drop constraint audit_log_pkey;
  alter table audit_log_first add constraint audit_log_first_pkey primary key using index audit_log_first_key;
  alter index audit_log_event rename to audit_log_first_event;
  alter index audit_log_producer rename to audit_log_first_producer;
  alter index audit_log_subject rename to audit_log_first_subject;
  create table audit_log (
    id          bigint generated always as identity,
    at          timestamptz not null,
    actor_kind  text not null constraint audit_log_actor_kind_check check (actor_kind in ('anonymous', 'system', 'user')),
    actor       text,
    api_token   bigint,
    operation   text not null,
    request_id  text not null,
    producer_id bigint,
    event_id    bigint,
    subject     text not null,
    subject_id  text not null,
    before      jsonb,
    after       jsonb,
    primary key (id, at)
  ) partition by range (at);
  execute format('alter table audit_log alter column id restart with %s', last_id + 1);
  create index audit_log_event on audit_log (event_id, id) where event_id is not null;
  create index audit_log_producer on audit_log (producer_id, id) where producer_id is not null;
  create index audit_log_subject on audit_log (subject, subject_id, id);
  execute format('alter table audit_log attach partition audit_log_first for values from (minvalue) to (%L)', to_date(bound, 'YYYYMM')::timestamp at time zone 'UTC');
  execute format('alter table audit_log_first drop constraint %I', 'audit_log_until_' || bound);
  create trigger audit_log_append_only before update or delete or truncate on audit_log for each statement execute function refuse_change();
  -- An entry finds its place even where nobody has made the partition of its month.
  perform renew_audit_log_default();
end $$;
