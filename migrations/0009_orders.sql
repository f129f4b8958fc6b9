-- Orders, their lines, the limits of buyers and networks, and the ledger. Tickets are first held and then sold.

create sequence ticket_order_id;

-- An order. Its event exists, because its lines are of items of the event.
create table ticket_order (
  event_id        bigint not null,
  id              bigint not null,
  status          text not null constraint ticket_order_status check (status in ('held', 'approved', 'expired', 'cancelled', 'refunded')),
  app_category_id integer not null constraint ticket_order_channel check (app_category_id > 0),
  session_id      bigint,
  passkey_id      bigint,
  -- Null until the buyer is set, and after the order was anonymized. A held order is never anonymized. An order that was paid in cash may have no buyer.
  buyer_name      text,
  buyer_email     text,
  buyer_document  text,
  -- The language in which the buyer ordered, for mails. Null if it is not known, for example at the box office.
  locale          text constraint ticket_order_locale check (locale in ('pt-BR', 'en', 'es')),
  -- A hash of the network that placed the hold. Null when the order is no longer held.
  network         bigint,
  total           bigint not null constraint ticket_order_total check (total >= 0),
  currency        text not null,
  secret_hash     bytea not null,
  created_at      timestamptz not null,
  expires_at      timestamptz not null,
  extended        boolean not null default false,
  -- Whether a payment has extended the hold. Only the first payment does.
  held_to_pay     boolean not null default false,
  approved_at     timestamptz,
  closed_at       timestamptz,
  constraint ticket_order_pkey primary key (event_id, id),
  constraint ticket_order_session foreign key (event_id, session_id) references event_session (event_id, id),
  constraint ticket_order_passkey foreign key (event_id, passkey_id) references passkey (event_id, id),
  constraint ticket_order_approved check ((status in ('approved', 'refunded')) = (approved_at is not null))
);
comment on column ticket_order.buyer_name is 'Personal data. Ends with: holds, anonymizeOrder';
comment on column ticket_order.buyer_email is 'Personal data. Ends with: holds, anonymizeOrder';
comment on column ticket_order.buyer_document is 'Personal data. Ends with: holds, anonymizeOrder';
comment on column ticket_order.network is 'Personal data. Ends with: the status held';
-- The event of an order, for requests that name only the order.
create index ticket_order_by_id on ticket_order (id);
-- Holds of an event in the order in which they expire. New orders and the worker release expired holds.
create index ticket_order_due on ticket_order (event_id, expires_at) where status = 'held';
-- Old orders that were never paid and still name the buyer.
create index ticket_order_to_anonymize on ticket_order (closed_at) where status in ('expired', 'cancelled') and buyer_email is not null;

-- The tickets of one item in an order. Prices and fees are those of the time of the order.
create table order_line (
  event_id     bigint not null,
  order_id     bigint not null,
  item_id      bigint not null,
  -- The sessions in which the tickets take a place: one, or all sessions of a passport.
  session_ids  bigint[] not null,
  quantity     integer not null constraint order_line_quantity check (quantity > 0),
  refunded     integer not null default 0,
  -- How many of the refunded tickets are for sale again.
  restocked    integer not null default 0,
  price        bigint not null constraint order_line_price check (price >= 0),
  fee_sale     bigint not null constraint order_line_fee_sale check (fee_sale >= 0),
  fee_producer bigint not null constraint order_line_fee_producer check (fee_producer >= 0),
  -- Whether the tickets count against the limit of the passkey.
  unlocked     boolean not null,
  constraint order_line_pkey primary key (event_id, order_id, item_id),
  constraint order_line_order foreign key (event_id, order_id) references ticket_order (event_id, id),
  constraint order_line_item foreign key (event_id, item_id) references item (event_id, id),
  constraint order_line_refunded check (refunded between 0 and quantity),
  constraint order_line_restocked check (restocked between 0 and refunded)
);

-- A link to an order in a mail. Only the hash of its token is stored, so a copy of this table opens no order. Revoking a link deletes its row.
-- There is no foreign key to the order: the row is inserted while the mail is sent, and must not wait for the lock of the order.
create table order_link (
  event_id   bigint not null constraint order_link_event references event,
  token_hash bytea not null constraint order_link_hash check (length(token_hash) = 32),
  order_id   bigint not null,
  created_at timestamptz not null,
  constraint order_link_pkey primary key (event_id, token_hash)
);
-- The links of an order, to revoke them.
create index order_link_of_order on order_link (event_id, order_id);

-- What the crew wrote about an order. Notes are not changed. They are deleted only with the data of the buyer.
create table order_note (
  event_id   bigint not null,
  id         bigint generated always as identity,
  order_id   bigint not null,
  author_id  bigint not null constraint order_note_author references app_user,
  text       text not null constraint order_note_text check (length(text) between 1 and 2000),
  created_at timestamptz not null,
  constraint order_note_pkey primary key (event_id, id),
  constraint order_note_order foreign key (event_id, order_id) references ticket_order (event_id, id)
);
comment on column order_note.text is 'Personal data. Ends with: anonymizeOrder';
-- The notes of an order.
create index order_note_of_order on order_note (event_id, order_id, id);
create trigger order_note_append_only before update or truncate on order_note for each statement execute function refuse_change();

-- How many tickets of an item a buyer has, if the item has a limit per buyer. The buyer is a hash of the e-mail address or the document.
create table item_buyer (
  event_id bigint not null,
  item_id  bigint not null,
  buyer    bytea not null,
  taken    integer not null constraint item_buyer_taken check (taken >= 0),
  most     integer not null,
  constraint item_buyer_pkey primary key (event_id, item_id, buyer),
  constraint buyer_limit check (taken <= most)
) with (fillfactor = 80);
comment on column item_buyer.buyer is 'Personal data. Ends with: holds, anonymizeOrder';

-- Unpaid tickets by network. `held` counts tickets in open holds. `lapsed` counts tickets of holds that ended unpaid, and decays to zero
-- within 30 minutes of `lapsed_at`. The lock of the item protects its rows.
create table network_hold (
  event_id  bigint not null,
  network   bigint not null,
  item_id   bigint not null,
  held      integer not null constraint network_hold_held check (held >= 0),
  lapsed    real not null constraint network_hold_lapsed check (lapsed >= 0),
  lapsed_at timestamptz not null,
  constraint network_hold_pkey primary key (event_id, network, item_id)
) with (fillfactor = 80);
comment on column network_hold.network is 'Personal data. Ends with: networkHolds';

-- Challenges whose solution was used for an order. Each solution works once, so its row stays until the challenge has expired.
create table spent_challenge (
  event_id   bigint not null,
  nonce      bytea not null,
  expires_at timestamptz not null,
  constraint spent_challenge_once primary key (event_id, nonce)
);
-- Expired challenges, to delete them.
create index spent_challenge_expires on spent_challenge (expires_at);

-- Movements of money from one account to another. Each row takes from `source` what it gives to `target`, so every order is balanced.
create table ledger_posting (
  event_id   bigint not null,
  id         bigint generated always as identity,
  order_id   bigint not null,
  item_id    bigint,
  reason     text not null constraint ledger_posting_reason
             check (reason in ('sale', 'refund', 'overpaid', 'underpaid', 'late', 'duplicate', 'cancelled', 'sold_out', 'provider_fee', 'dispute', 'dispute_fee')),
  source     text not null,
  target     text not null,
  amount     bigint not null constraint ledger_posting_amount check (amount > 0),
  quantity   integer not null constraint ledger_posting_quantity check (quantity >= 0),
  created_at timestamptz not null,
  constraint ledger_posting_pkey primary key (event_id, id),
  constraint ledger_posting_order foreign key (event_id, order_id) references ticket_order (event_id, id),
  constraint ledger_posting_accounts check (source <> target)
);
-- The postings of an order.
create index ledger_posting_of_order on ledger_posting (event_id, order_id);
create trigger ledger_posting_append_only before update or delete or truncate on ledger_posting
  for each statement execute function refuse_change();
