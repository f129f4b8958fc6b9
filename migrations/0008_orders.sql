-- Selling. Stock is first held and then sold; the counters that guard it stand beside their bounds (0003, 0006). Everything that grows
-- with sales has the event first in its keys.

create sequence ticket_order_id;

-- That its event exists is known by its lines, which are of items of the event.
create table ticket_order (
  event_id        bigint not null,
  id              bigint not null,
  status          text not null check (status in ('held', 'approved', 'expired', 'cancelled', 'refunded')),
  app_category_id integer not null check (app_category_id > 0),
  session_id      bigint,
  passkey_id      bigint,
  -- Gone when the order is anonymised.
  buyer_name      text,
  buyer_email     text,
  buyer_document  text,
  total           bigint not null check (total >= 0),
  currency        text not null,
  secret_hash     bytea not null,
  created_at      timestamptz not null,
  expires_at      timestamptz not null,
  extended        boolean not null default false,
  approved_at     timestamptz,
  closed_at       timestamptz,
  primary key (event_id, id),
  foreign key (event_id, session_id) references event_session (event_id, id),
  foreign key (event_id, passkey_id) references passkey (event_id, id),
  constraint order_approved check ((status in ('approved', 'refunded')) = (approved_at is not null))
);
create unique index ticket_order_by_id on ticket_order (id);
-- Holds by when they run out: whoever needs stock takes back what is due.
create index ticket_order_due on ticket_order (expires_at) where status = 'held';

create table order_line (
  event_id     bigint not null,
  order_id     bigint not null,
  item_id      bigint not null,
  -- The sessions whose places it takes: one, or all that a passport is for.
  session_ids  bigint[] not null,
  quantity     integer not null check (quantity > 0),
  refunded     integer not null default 0,
  -- Of those, the ones that were put back on sale; the others stay sold to nobody.
  restocked    integer not null default 0,
  -- As they were when it was sold.
  price        bigint not null check (price >= 0),
  fee_sale     bigint not null check (fee_sale >= 0),
  fee_producer bigint not null check (fee_producer >= 0),
  -- Whether its tickets count against the order's passkey.
  unlocked     boolean not null,
  primary key (event_id, order_id, item_id),
  foreign key (event_id, order_id) references ticket_order (event_id, id),
  foreign key (event_id, item_id) references item (event_id, id),
  constraint line_refunded check (refunded between 0 and quantity),
  constraint line_restocked check (restocked between 0 and refunded)
);

-- How many of an item one buyer has, known by a hash of their e-mail or document; only where the item has a limit. That the item exists
-- is known by the lines that are counted here.
create table item_buyer (
  event_id bigint not null,
  item_id  bigint not null,
  buyer    bytea not null,
  taken    integer not null check (taken >= 0),
  most     integer not null,
  primary key (event_id, item_id, buyer),
  constraint buyer_limit check (taken <= most)
);

-- What was paid, or tried to be.
create table payment (
  event_id   bigint not null,
  id         bigint generated always as identity,
  order_id   bigint not null,
  method     text not null check (method in ('cash', 'card')),
  amount     bigint not null check (amount > 0),
  status     text not null check (status in ('approved', 'declined', 'refunded')),
  created_at timestamptz not null,
  primary key (event_id, id),
  foreign key (event_id, order_id) references ticket_order (event_id, id)
);
create index payment_order on payment (event_id, order_id);

create sequence ticket_id;

-- What admits one person. Its code is signed and can be made again at any time, unless it came from elsewhere.
create table ticket (
  event_id         bigint not null,
  id               bigint not null default nextval('ticket_id'),
  order_id         bigint not null,
  item_id          bigint not null,
  status           text not null default 'valid' check (status in ('valid', 'refunded')),
  external_code_id bigint unique references external_code,
  created_at       timestamptz not null,
  primary key (event_id, id),
  foreign key (event_id, order_id, item_id) references order_line (event_id, order_id, item_id)
);
create index ticket_order_tickets on ticket (event_id, order_id);

-- With which the tickets of an event are signed (Ed25519): the newest signs, and what the others have signed is good as long as they stand here.
create table ticket_key (
  event_id    bigint not null references event,
  kid         smallint not null check (kid between 0 and 255),
  public_key  bytea not null check (length(public_key) = 32),
  private_key bytea not null check (length(private_key) = 32),
  created_at  timestamptz not null,
  primary key (event_id, kid)
);

-- Money moves from one account to another: what leaves the one arrives at the other, so that every order balances by its shape.
create table ledger_posting (
  event_id   bigint not null,
  id         bigint generated always as identity,
  order_id   bigint not null,
  item_id    bigint,
  reason     text not null check (reason in ('sale', 'refund', 'overpaid', 'late')),
  source     text not null,
  target     text not null,
  amount     bigint not null check (amount > 0),
  quantity   integer not null check (quantity >= 0),
  created_at timestamptz not null,
  primary key (event_id, id),
  foreign key (event_id, order_id) references ticket_order (event_id, id),
  check (source <> target)
);
create index ledger_posting_order on ledger_posting (event_id, order_id);
create trigger ledger_posting_append_only before update or delete or truncate on ledger_posting
  for each statement execute function refuse_change();
