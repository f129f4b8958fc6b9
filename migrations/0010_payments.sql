-- Payments, and what providers report about them.

-- A payment provider, with the secret that signs its notices.
create table payment_provider (
  name   text constraint payment_provider_pkey primary key,
  secret text not null constraint payment_provider_secret check (length(secret) >= 32)
);
insert into payment_provider (name, secret)
  values ('sandbox', encode(sha256((gen_random_uuid()::text || gen_random_uuid()::text)::bytea), 'hex'));

-- An attempt to pay an order.
create table payment (
  event_id   bigint not null,
  id         bigint generated always as identity,
  order_id   bigint not null,
  method     text not null constraint payment_method check (method in ('cash', 'card', 'pix')),
  amount     bigint not null constraint payment_amount check (amount > 0),
  -- The money that was received, and how much of it was returned without buying tickets.
  received   bigint not null default 0 constraint payment_received check (received >= 0),
  returned   bigint not null default 0 constraint payment_returned check (returned >= 0),
  status     text not null constraint payment_status check (status in ('pending', 'approved', 'declined', 'refunded')),
  -- The name of the payment at the provider. Null if it was paid at the box office.
  reference  text,
  created_at timestamptz not null,
  constraint payment_pkey primary key (event_id, id),
  constraint payment_reference unique (event_id, reference),
  constraint payment_order foreign key (event_id, order_id) references ticket_order (event_id, id),
  -- An approved payment keeps exactly its amount. Any other payment keeps nothing.
  constraint payment_kept check (received - returned = case when status = 'approved' then amount else 0 end),
  constraint payment_refunded check ((status = 'refunded') <= (received > 0))
);
-- The payments of an order.
create index payment_of_order on payment (event_id, order_id);
-- The event of a payment, for notices, which name only the reference.
create index payment_by_reference on payment (reference) where reference is not null;
-- Payments that may still be paid, for the comparison with the provider.
create index payment_open on payment (created_at) where status in ('pending', 'declined') and reference is not null;

-- A message of a provider, stored as it was received. It is applied once.
create table payment_notice (
  -- 0 if no payment has the reference.
  event_id    bigint not null,
  id          bigint generated always as identity,
  provider    text not null constraint payment_notice_provider references payment_provider,
  notice_id   text not null,
  -- Empty after it was erased. Nothing reads it.
  raw         text not null,
  reference   text not null,
  event       text not null,
  amount      bigint not null constraint payment_notice_amount check (amount >= 0),
  received_at timestamptz not null,
  -- The time of the next attempt to apply the notice.
  due_at      timestamptz not null,
  attempts    integer not null default 0,
  status      text not null default 'received' constraint payment_notice_status
              check (status in ('received', 'applied', 'ignored', 'set_aside', 'failed')),
  -- What the notice changed, in words.
  outcome     text,
  -- Why the last attempt failed.
  last_error  text,
  constraint payment_notice_pkey primary key (event_id, id),
  constraint payment_notice_once unique (event_id, provider, notice_id),
  constraint payment_notice_outcome check ((status = 'received') = (outcome is null))
);
comment on column payment_notice.raw is 'Personal data. Ends with: paymentNotices, noticeContents';
-- Notices that are due.
create index payment_notice_due on payment_notice (due_at) where status = 'received';
-- Notices that wait for an operator.
create index payment_notice_parked on payment_notice (id) where status in ('set_aside', 'failed');
-- Old notices, to delete them.
create index payment_notice_to_delete on payment_notice (received_at) where status in ('applied', 'ignored');

-- The charges of the sandbox, which simulates a payment provider. Only the sandbox uses this table.
create table sandbox_charge (
  reference  text constraint sandbox_charge_pkey primary key,
  amount     bigint not null constraint sandbox_charge_amount check (amount > 0),
  outcome    text not null,
  status     text not null default 'open' constraint sandbox_charge_status check (status in ('open', 'paid', 'failed')),
  paid       bigint not null default 0 constraint sandbox_charge_paid check (paid >= 0),
  returned   bigint not null default 0,
  -- When the simulated buyer acts. Null if the buyer has acted, or never acts.
  acts_at    timestamptz,
  created_at timestamptz not null,
  settled_at timestamptz,
  constraint sandbox_charge_settled check ((status = 'paid') = (paid > 0)),
  constraint sandbox_charge_returned check (returned between 0 and paid)
);
-- Charges whose simulated buyer is due to act.
create index sandbox_charge_acts on sandbox_charge (acts_at) where acts_at is not null;
