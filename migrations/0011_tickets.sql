-- Tickets, the keys that sign their codes, and the log of their changes.

create sequence ticket_id;

-- Admits one person. Its code is signed and can be created again at any time, unless it has an imported code.
create table ticket (
  event_id         bigint not null,
  id               bigint not null default nextval('ticket_id'),
  order_id         bigint not null,
  item_id          bigint not null,
  -- Copied from the order line, so that the door reads one row per ticket.
  session_ids      bigint[] not null,
  -- The name of the buyer. Null after the order was anonymized.
  holder           text,
  status           text not null default 'valid' constraint ticket_status check (status in ('valid', 'refunded')),
  -- Whether the payment is disputed, and the dispute is not won. The event decides whether such tickets admit.
  disputed         boolean not null default false,
  external_code_id bigint,
  created_at       timestamptz not null,
  constraint ticket_pkey primary key (event_id, id),
  constraint ticket_code_once unique (event_id, external_code_id),
  constraint ticket_code foreign key (event_id, external_code_id) references external_code (event_id, id),
  constraint ticket_line foreign key (event_id, order_id, item_id) references order_line (event_id, order_id, item_id)
);
comment on column ticket.holder is 'Personal data. Ends with: anonymizeOrder';
-- The tickets of an order.
create index ticket_of_order on ticket (event_id, order_id);

-- A key that signs the tickets of an event (Ed25519). The newest key signs. Tickets of the other keys stay valid. The private key is encrypted
-- with SECRET_KEY, which is not in the database.
create table ticket_key (
  event_id   bigint not null constraint ticket_key_event references event,
  kid        smallint not null constraint ticket_key_kid check (kid between 0 and 255),
  public_key bytea not null constraint ticket_key_public_key check (length(public_key) = 32),
  sealed_key bytea not null,
  created_at timestamptz not null,
  constraint ticket_key_pkey primary key (event_id, kid)
);

-- The number of the last change to the tickets of an event. Every event has one row. Taking the next number locks the row until the
-- transaction ends. So numbers become visible in ascending order and without gaps: after a device has read change 7, no new change 6 appears.
create table ticket_log (
  event_id    bigint constraint ticket_log_pkey primary key constraint ticket_log_event references event,
  last_change bigint not null default 0 constraint ticket_log_last_change check (last_change >= 0)
) with (fillfactor = 50);

-- A change to tickets: the orders whose tickets were issued, or the tickets that were refunded or disputed. A batch of orders is one row.
create table ticket_change (
  event_id          bigint not null,
  id                bigint not null,
  issued_order_ids  bigint[] constraint ticket_change_issued check (cardinality(issued_order_ids) > 0),
  changed_ids       bigint[] constraint ticket_change_changed check (cardinality(changed_ids) > 0),
  constraint ticket_change_pkey primary key (event_id, id),
  constraint ticket_change_kind check (num_nonnulls(issued_order_ids, changed_ids) = 1)
);

-- Guests are the people whom the door admits: the rows of `ticket_guest` and `code_guest`. The guest list, the entry report and the
-- export read these views. `session_ids` are the sessions that the guest may enter.

create view ticket_guest as
  select t.event_id, t.id, t.order_id, t.item_id, t.session_ids, o.app_category_id, c.code,
         o.buyer_name as name, o.buyer_email as email, o.buyer_document as document
    from ticket t
    join ticket_order o on o.event_id = t.event_id and o.id = t.order_id
    left join external_code c on c.event_id = t.event_id and c.id = t.external_code_id
   where t.status = 'valid';

-- Imported codes of items that are sold elsewhere. Codes of other items admit only together with their ticket. A code without a session is
-- valid for all sessions of its item, and an item without sessions is valid for all sessions of the event.
create view code_guest as
  select c.event_id, c.id, c.item_id, case when c.session_id is null then i.session_ids else array[c.session_id] end as session_ids, c.session_id,
         c.code, c.holder_name as name, c.holder_document as document
    -- The sessions of each item: those that were chosen, or else all sessions of the event.
    from (select i.event_id, i.id,
                 coalesce(array_agg(x.session_id order by x.session_id) filter (where x.session_id is not null),
                          array_agg(s.id order by s.id) filter (where s.id is not null), '{}') as session_ids
            from item i
            left join event_session s on s.event_id = i.event_id
            left join item_session x on x.event_id = i.event_id and x.item_id = i.id and x.session_id = s.id
           where i.type = 'external' group by i.event_id, i.id) i
    join external_code c on c.event_id = i.event_id and c.item_id = i.id;

-- Whether a search term finds a guest: by the beginning of the name, or by the whole ticket number, order number or imported code. E-mail and
-- document are searched only for callers who may see them.
create function guest_found(
  term text, personal boolean, name text, email text, document text, ticket_id bigint, order_id bigint, code text
) returns boolean language sql immutable parallel safe
  return coalesce(starts_with(plain_text(name), plain_text(term)), false) or coalesce(term in (ticket_id::text, order_id::text), false)
         or coalesce(term = code, false)
         or personal and (coalesce(starts_with(plain_text(email), plain_text(term)), false)
                          or coalesce(starts_with(plain_text(document), plain_text(term)), false));
