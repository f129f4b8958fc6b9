-- Notices that cannot be applied are retried for a day and then fail where everybody sees it. Orders of a cancelled event are refunded by a job.

-- The checks and the index read payment_notice once while it is locked. Only notices of providers wait for that: orders and payments do not use
-- the table.
alter table payment_notice
  -- Why the last attempt failed.
  add column last_error text,
  drop constraint payment_notice_status_check;
alter table payment_notice add constraint payment_notice_status_check
  check (status in ('received', 'applied', 'ignored', 'set_aside', 'failed')) not valid;
alter table payment_notice validate constraint payment_notice_status_check;
-- Notices that wait for an operator.
create index payment_notice_parked on payment_notice (id) where status in ('set_aside', 'failed');
update payment_notice set status = 'failed' where status in ('set_aside', 'failed') and outcome like 'failed: %';

-- The job that refunds the orders of a cancelled event. The row is also the lock: a worker locks it for each batch, and a batch writes its progress in
-- the transaction of its refunds. After a crash the next worker continues behind `last_order_id`.
create table event_cancellation (
  event_id      bigint primary key references event,
  status        text not null default 'running' check (status in ('running', 'done')),
  reason        text,
  -- How many orders were approved when the first batch began; null before.
  orders        integer check (orders >= 0),
  refunded      integer not null default 0 check (refunded >= 0),
  failed        integer not null default 0 check (failed >= 0),
  amount        bigint not null default 0 check (amount >= 0),
  last_order_id bigint not null default 0,
  started_at    timestamptz not null,
  finished_at   timestamptz,
  check ((status = 'done') = (finished_at is not null))
);
create index event_cancellation_running on event_cancellation (started_at) where status = 'running';
