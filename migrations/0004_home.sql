-- The home page.

-- A featured event, or a banner with a link.
create table featured (
  id         bigint generated always as identity constraint featured_pkey primary key,
  position   integer not null,
  event_id   bigint constraint featured_event references event,
  -- The address of a picture on another server.
  image      text,
  -- The picture that was uploaded.
  picture_id text constraint featured_picture references picture,
  target     text,
  -- The state in which a banner without an event is shown. Null: everywhere.
  state      text constraint featured_state check (state ~ '^[A-Z]{2}$'),
  -- The home page shows the entry from the one until the other. Null: no limit.
  show_from  timestamptz,
  show_until timestamptz,
  -- A banner has a target before its picture is uploaded.
  constraint featured_content check (event_id is not null or image is not null or picture_id is not null or target is not null),
  constraint featured_image check (image is null or picture_id is null),
  constraint featured_period check (show_from < show_until)
);

-- A list of events with a title.
create table home_section (
  id       bigint generated always as identity constraint home_section_pkey primary key,
  title    text not null constraint home_section_title check (length(title) between 1 and 100),
  slug     text not null constraint home_section_slug unique constraint home_section_slug_form check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
  position integer not null
);

-- The events of a section.
create table home_section_event (
  section_id bigint not null constraint home_section_event_section references home_section on delete cascade,
  event_id   bigint not null constraint home_section_event_event references event,
  position   integer not null,
  constraint home_section_event_pkey primary key (section_id, event_id)
);

-- The picture at the top of the home page.
create table home_cover (
  only_one   boolean constraint home_cover_pkey primary key default true constraint home_cover_only_one check (only_one),
  -- The address of a picture on another server.
  image      text,
  -- The picture that was uploaded.
  picture_id text constraint home_cover_picture references picture,
  title      text,
  target     text,
  event_id   bigint constraint home_cover_event references event,
  constraint home_cover_image check (image is null or picture_id is null)
);
