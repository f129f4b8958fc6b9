-- Payments, refunds and disputes, and what providers report about them.

-- An attempt to pay an order. Cash and cards of the sandbox are decided at once. Any other payment is written first (begun), then the
-- provider is called, and then its response is written.
create table payment (
  event_id       bigint not null,
  id             bigint generated always as identity,
  order_id       bigint not null,
  provider       text not null constraint payment_provider check (provider ~ '^[a-z]{2,20}$'),
  method         text not null constraint payment_method check (method in ('cash', 'card', 'pix', 'boleto')),
  amount         bigint not null constraint payment_amount check (amount > 0),
  -- The money that was received, and how much of it was returned without buying tickets.
  received       bigint not null default 0 constraint payment_received check (received >= 0),
  returned       bigint not null default 0 constraint payment_returned check (returned >= 0),
  status         text not null constraint payment_status check (status in ('begun', 'pending', 'approved', 'declined', 'refunded')),
  -- Our name of the payment at the provider. It is also the idempotency key, so that a repeated call charges nothing twice. Null if the
  -- payment was decided at once.
  reference      text,
  -- The provider's name of the payment. Null until the provider has responded.
  provider_id    text,
  -- Until then the payment can be paid. Afterwards it is cancelled at the provider.
  expires_at     timestamptz,
  -- What the buyer does to pay: show a code, open an address, or use the provider's web component. Null unless the payment is pending.
  action         jsonb,
  -- Why the provider declined the payment, in words for the buyer.
  failure        text,
  -- What the provider keeps of the money. Null until the provider has reported it.
  fee            bigint constraint payment_fee check (fee >= 0),
  -- The producer's own account at the provider, and the part of the amount that stays with the platform. Null: the platform gets all.
  payout_account text,
  platform_fee   bigint constraint payment_platform_fee check (platform_fee between 0 and amount),
  -- The address of the buyer, which a boleto needs. Erased when the payment is decided.
  buyer_address  jsonb,
  -- What the simulated buyer of the sandbox does. Null for other providers.
  simulated      text,
  -- When the worker asks the provider next. Null if there is nothing to ask.
  due_at         timestamptz,
  attempts       integer not null default 0,
  -- Why the last call failed.
  last_error     text,
  created_at     timestamptz not null,
  constraint payment_pkey primary key (event_id, id),
  constraint payment_reference unique (event_id, reference),
  constraint payment_order foreign key (event_id, order_id) references ticket_order (event_id, id),
  -- An approved payment keeps exactly its amount. Any other payment keeps nothing.
  constraint payment_kept check (received - returned = case when status = 'approved' then amount else 0 end),
  constraint payment_refunded check ((status = 'refunded') <= (received > 0)),
  -- An open payment is known to the provider by its reference, ends, and is looked at again.
  constraint payment_open check (
    status not in ('begun', 'pending') or (reference is not null and expires_at is not null and due_at is not null)),
  constraint payment_payout check ((payout_account is null) = (platform_fee is null)),
  constraint payment_address check (buyer_address is null or status in ('begun', 'pending'))
);
comment on column payment.buyer_address is 'Personal data. Ends with: the status begun or pending';
-- The payments of an order.
create index payment_of_order on payment (event_id, order_id);
-- The event of a payment, for notices, which name only the reference.
create index payment_by_reference on payment (reference) where reference is not null;
-- The event of a payment, for notices about refunds and disputes, which name only the provider's id.
create index payment_by_provider_id on payment (provider_id) where provider_id is not null;
-- Payments about which the worker asks the provider.
create index payment_due on payment (due_at) where due_at is not null;

-- Money that goes back to a buyer: for refunded tickets, or because it bought nothing. It is written together with the reason, and then
-- the worker calls the provider.
create table refund (
  event_id    bigint not null,
  id          bigint generated always as identity,
  order_id    bigint not null,
  payment_id  bigint not null,
  amount      bigint not null constraint refund_amount check (amount > 0),
  reason      text not null constraint refund_reason
              check (reason in ('refund', 'overpaid', 'underpaid', 'late', 'duplicate', 'cancelled', 'sold_out')),
  status      text not null constraint refund_status check (status in ('begun', 'pending', 'done', 'failed')),
  -- Our name of the refund at the provider, and the idempotency key. A retry of a failed refund gets a new one. Null if the money needs no
  -- provider.
  reference   text,
  -- The references of the attempts before the retries. The provider may still report about them.
  earlier_references text[] not null default '{}',
  -- The provider's name of the refund. Null until the provider has responded.
  provider_id text,
  -- Why the provider refused or failed, in words for the crew.
  failure     text,
  -- How the crew returned the money after the provider had failed. Null if the provider returned it.
  note        text,
  -- When the worker calls the provider next. Null if there is nothing to do.
  due_at      timestamptz,
  attempts    integer not null default 0,
  -- Why the last call failed.
  last_error  text,
  created_at  timestamptz not null,
  finished_at timestamptz,
  constraint refund_pkey primary key (event_id, id),
  constraint refund_reference unique (event_id, reference),
  constraint refund_order foreign key (event_id, order_id) references ticket_order (event_id, id),
  constraint refund_payment foreign key (event_id, payment_id) references payment (event_id, id),
  constraint refund_open check (status not in ('begun', 'pending') or (reference is not null and due_at is not null)),
  constraint refund_finished check ((status in ('done', 'failed')) = (finished_at is not null)),
  constraint refund_failed check (status <> 'failed' or failure is not null),
  constraint refund_note check (note is null or status = 'done')
);
-- The refunds of an order.
create index refund_of_order on refund (event_id, order_id);
-- Refunds about which the worker calls the provider.
create index refund_due on refund (due_at) where due_at is not null;
-- Failed refunds, for the crew.
create index refund_failed on refund (event_id, id) where status = 'failed';

-- A chargeback: the buyer's bank took the money back, and the provider decides who gets it.
create table payment_dispute (
  event_id    bigint not null,
  id          bigint generated always as identity,
  order_id    bigint not null,
  payment_id  bigint not null,
  -- The provider's name of the dispute.
  provider_id text not null,
  amount      bigint not null constraint payment_dispute_amount check (amount > 0),
  -- What the provider charges for the dispute.
  fee         bigint not null constraint payment_dispute_fee check (fee >= 0),
  -- The provider's word for the reason.
  reason      text not null,
  status      text not null constraint payment_dispute_status check (status in ('open', 'won', 'lost')),
  -- How many movements of money the provider had reported. A report with fewer movements is older.
  movements   integer not null constraint payment_dispute_movements check (movements >= 0),
  opened_at   timestamptz not null,
  closed_at   timestamptz,
  constraint payment_dispute_pkey primary key (event_id, id),
  constraint payment_dispute_once unique (event_id, provider_id),
  constraint payment_dispute_order foreign key (event_id, order_id) references ticket_order (event_id, id),
  constraint payment_dispute_payment foreign key (event_id, payment_id) references payment (event_id, id),
  constraint payment_dispute_closed check ((status = 'open') = (closed_at is null))
);
-- The disputes of an order.
create index payment_dispute_of_order on payment_dispute (event_id, order_id);

-- A message of a provider, stored as it was received. It is applied once.
create table payment_notice (
  -- 0 if no payment has the reference or the provider's id.
  event_id    bigint not null,
  id          bigint generated always as identity,
  provider    text not null,
  notice_id   text not null,
  -- The provider's word for what happened.
  type        text not null,
  -- Empty after it was erased. Nothing reads it.
  raw         text not null,
  -- Our name of the payment. Null if the notice has only the provider's name.
  reference   text,
  -- The provider's name of the payment.
  provider_id text,
  -- What the notice says, in our words: the state of a payment, a refund or a dispute.
  content     jsonb not null,
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
  constraint payment_notice_named check (reference is not null or provider_id is not null),
  constraint payment_notice_outcome check ((status = 'received') = (outcome is null))
);
comment on column payment_notice.raw is 'Personal data. Ends with: paymentNotices, noticeContents';
-- Notices that are due.
create index payment_notice_due on payment_notice (due_at) where status = 'received';
-- Notices that wait for an operator.
create index payment_notice_parked on payment_notice (id) where status in ('set_aside', 'failed');
-- Old notices, to delete them.
create index payment_notice_to_delete on payment_notice (received_at) where status in ('applied', 'ignored');

-- The secret that signs the notices of the sandbox. One row.
create table sandbox_secret (
  id     integer constraint sandbox_secret_pkey primary key constraint sandbox_secret_one check (id = 1),
  secret text not null constraint sandbox_secret_length check (length(secret) >= 32)
);
insert into sandbox_secret (id, secret)
  values (1, encode(sha256((gen_random_uuid()::text || gen_random_uuid()::text)::bytea), 'hex'));

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
  constraint sandbox_charge_paid_amount check ((status = 'paid') = (paid > 0)),
  constraint sandbox_charge_returned check (returned between 0 and paid)
);
-- Charges by the time of their result, for the comparison with the payments.
create index sandbox_charge_settled on sandbox_charge (settled_at) where settled_at is not null;
-- Charges whose simulated buyer is due to act.
create index sandbox_charge_acts on sandbox_charge (acts_at) where acts_at is not null;

-- The refunds of the sandbox. Each reference returns money once.
create table sandbox_refund (
  reference  text constraint sandbox_refund_pkey primary key,
  charge     text not null constraint sandbox_refund_charge references sandbox_charge,
  amount     bigint not null constraint sandbox_refund_amount check (amount > 0),
  created_at timestamptz not null
);
