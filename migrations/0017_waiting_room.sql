-- oldest release: 0.2.0
-- The waiting room of an event: visitors get a number, a draw at the opening decides their places, and places are admitted at a certain rate.

-- The waiting room of an event. The numbers of an event never start again: a new waiting room continues after the last number.
create table waiting_room (
  event_id         bigint not null constraint waiting_room_event references event,
  enabled          boolean not null,
  opens_at         timestamptz not null,
  -- Whether the service chooses the rate.
  auto             boolean not null,
  -- How many visitors are admitted per minute. If the service chooses the rate, its latest choice.
  per_minute       integer not null constraint waiting_room_per_minute check (per_minute between 1 and 60000),
  paused           boolean not null,
  -- How long a visitor may order after entering.
  minutes          integer not null constraint waiting_room_minutes check (minutes between 2 and 30),
  orders_per_place integer not null constraint waiting_room_orders_per_place check (orders_per_place between 1 and 10),
  -- The seed of the draw. It is published after the opening, its hash before.
  seed             bytea not null constraint waiting_room_seed check (length(seed) = 32),
  -- The first number of this waiting room. Lower numbers belong to earlier waiting rooms of the event.
  first_number     bigint not null constraint waiting_room_first check (first_number >= 1),
  -- The last number that was handed out, or skipped.
  last_number      bigint not null,
  -- Numbers that nobody got, because the queue was empty and its places had been admitted already.
  skipped          bigint not null default 0 constraint waiting_room_skipped check (skipped >= 0),
  -- The last number that takes part in the draw. Null before the opening.
  drawn_to         bigint,
  -- When the service last chose the rate. Only one process does this at a time.
  adjusted_at      timestamptz,
  constraint waiting_room_pkey primary key (event_id),
  constraint waiting_room_last check (last_number >= first_number - 1),
  constraint waiting_room_drawn check (drawn_to between first_number - 1 and last_number)
) with (fillfactor = 50);
-- Waiting rooms that are on, in the order in which they open. Each process looks for those that are open.
create index waiting_room_opens on waiting_room (opens_at) where enabled;

-- The rates of a waiting room since its opening. From `since` on, `per_minute` places are admitted per minute, beginning after `from_place`.
create table waiting_room_rate (
  event_id   bigint not null,
  since      timestamptz not null,
  from_place double precision not null constraint waiting_room_rate_from check (from_place >= 0),
  per_minute integer not null constraint waiting_room_rate_per_minute check (per_minute between 0 and 60000),
  constraint waiting_room_rate_pkey primary key (event_id, since),
  constraint waiting_room_rate_room foreign key (event_id) references waiting_room (event_id)
);

-- How busy each process is, while a waiting room chooses its rate. The latest report of each process.
create table waiting_room_report (
  event_id    bigint not null,
  process     text not null,
  -- 1 means that the process cannot serve more.
  pressure    double precision not null constraint waiting_room_report_pressure check (pressure >= 0),
  -- Orders per minute that the process could place. Null if it placed none lately.
  capacity    double precision constraint waiting_room_report_capacity check (capacity > 0),
  reported_at timestamptz not null,
  constraint waiting_room_report_pkey primary key (event_id, process),
  constraint waiting_room_report_room foreign key (event_id) references waiting_room (event_id)
) with (fillfactor = 50);

-- The orders that were placed with a number. Two orders cannot take the same slot, so concurrent orders cannot exceed the limit of a place.
create table waiting_room_order (
  event_id bigint not null,
  number   bigint not null,
  slot     integer not null constraint waiting_room_order_slot check (slot >= 1),
  order_id bigint not null,
  constraint waiting_room_order_once primary key (event_id, number, slot),
  constraint waiting_room_order_order foreign key (event_id, order_id) references ticket_order (event_id, id)
);
