-- Payments that a provider tells of later: what was asked for, what the provider said, and what came of it. And until when a buyer may
-- withdraw.

-- Who sends notices, and the secret with which they are signed.
create table payment_provider (
  name   text primary key,
  secret text not null check (length(secret) >= 32)
);
insert into payment_provider (name, secret)
  values ('sandbox', encode(sha256((gen_random_uuid()::text || gen_random_uuid()::text)::bytea), 'hex'));

alter table payment
  -- Under which the provider knows it; null where it was paid on the spot.
  add column reference text,
  -- What came, and what of that went back without buying anything.
  add column received  bigint not null default 0 check (received >= 0),
  add column returned  bigint not null default 0 check (returned >= 0);
update payment set received = amount where status = 'approved';
alter table payment drop constraint payment_method_check, drop constraint payment_status_check;
alter table payment
  add constraint payment_method_check check (method in ('cash', 'card', 'pix')),
  add constraint payment_status_check check (status in ('pending', 'approved', 'declined', 'refunded')),
  -- Only what is approved keeps money, and exactly what was asked for.
  add constraint payment_kept check (received - returned = case when status = 'approved' then amount else 0 end),
  add constraint payment_refunded check ((status = 'refunded') <= (received > 0));
create unique index payment_reference on payment (reference) where reference is not null;
-- Those that may still turn out otherwise, for who compares with the provider.
create index payment_open on payment (created_at) where status in ('pending', 'declined') and reference is not null;

-- What providers told, as they told it. Stored first, then applied once.
create table payment_notice (
  id          bigint generated always as identity primary key,
  provider    text not null references payment_provider,
  notice_id   text not null,
  raw         text not null,
  reference   text not null,
  event       text not null,
  amount      bigint not null check (amount >= 0),
  received_at timestamptz not null,
  -- Not before this: what could not be applied is tried again later, a bounded number of times.
  due_at      timestamptz not null,
  attempts    integer not null default 0,
  status      text not null default 'received' check (status in ('received', 'applied', 'ignored', 'set_aside')),
  -- What came of it, in words.
  outcome     text,
  unique (provider, notice_id),
  check ((status = 'received') = (outcome is null))
);
create index payment_notice_due on payment_notice (due_at) where status = 'received';

-- The sandbox is a provider inside the house. These are its own books, which nothing but the sandbox writes from.
create table sandbox_charge (
  reference  text primary key,
  amount     bigint not null check (amount > 0),
  outcome    text not null,
  status     text not null default 'open' check (status in ('open', 'paid', 'failed')),
  paid       bigint not null default 0 check (paid >= 0),
  returned   bigint not null default 0,
  -- When the buyer that it plays does what the outcome says; null when that was done, or never is.
  acts_at    timestamptz,
  created_at timestamptz not null,
  settled_at timestamptz,
  check ((status = 'paid') = (paid > 0)),
  constraint sandbox_returned check (returned between 0 and paid)
);
create index sandbox_charge_acts on sandbox_charge (acts_at) where acts_at is not null;

-- Money that came and buys nothing goes through the account "suspense", in and out.
alter table ledger_posting drop constraint ledger_posting_reason_check;
alter table ledger_posting add constraint ledger_posting_reason_check
  check (reason in ('sale', 'refund', 'overpaid', 'underpaid', 'late', 'duplicate', 'cancelled', 'sold_out'));

-- So many days after the purchase a buyer may withdraw from it; 0 for never.
alter table event add column withdrawal_days integer not null default 7 check (withdrawal_days between 0 and 365);
