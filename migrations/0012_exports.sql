-- Files that somebody asked for. The row is also the job: whoever holds the advisory lock of its id works on it, and that lock dies with
-- the session of who holds it. Attempts are numbered, and only the last one can finish.

create table export (
  id              bigint generated always as identity primary key,
  event_id        bigint not null references event,
  user_id         bigint not null references app_user,
  type            text not null check (type in ('transactions', 'guestlist', 'passkey')),
  format          text not null check (format in ('csv', 'xlsx')),
  filters         jsonb not null,
  -- Of the headers, and of the mail.
  locale          text not null check (locale in ('pt-BR', 'en', 'es')),
  bom             boolean not null,
  -- The same for requests that ask for the same.
  fingerprint     bytea not null check (length(fingerprint) = 32),
  status          text not null default 'queued' check (status in ('queued', 'running', 'ready', 'failed', 'cancelled', 'expired')),
  attempt         integer not null default 0 check (attempt >= 0),
  next_attempt_at timestamptz not null,
  rows            bigint not null default 0 check (rows >= 0),
  total           bigint check (total >= 0),
  bytes           bigint check (bytes >= 0),
  sha256          bytea check (length(sha256) = 32),
  reason          text,
  -- Written down before the file is begun, and gone when nothing of it is left: no file is ever forgotten.
  file_key        text unique,
  created_at      timestamptz not null,
  finished_at     timestamptz,
  expires_at      timestamptz,
  check ((status in ('queued', 'running')) = (finished_at is null)),
  check ((status = 'failed') = (reason is not null)),
  check ((status in ('ready', 'expired')) = (bytes is not null and sha256 is not null and expires_at is not null)),
  check (status <> 'ready' or file_key is not null)
);
create index export_at_work on export (id) where status in ('queued', 'running');
create index export_of_event on export (event_id, id);
create index export_of_user on export (user_id, created_at);
create index export_with_file on export (id) where file_key is not null and status not in ('queued', 'running');

-- With which links to files are signed.
create table file_link_key (
  only_one boolean primary key default true check (only_one),
  secret   bytea not null check (length(secret) = 32)
);
insert into file_link_key (secret) values (sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')));

-- A cell of a CSV file that no spreadsheet takes for a formula: what would begin one gets an apostrophe before it. In some countries cells
-- are parted by semicolon, so that one may begin in the middle. Most cells are handed on as they are, and that must be quick.
create function csv_text(cell text) returns text language sql immutable parallel safe
  return case when ascii(cell) in (61, 43, 45, 64, 9, 10, 13, 65309, 65291, 65293, 65312) or strpos(cell, ';') > 0
              then regexp_replace(cell, '(^|;)(?=[\s"'']*[-=+@\t\r\n＝＋－＠])', '\1''', 'g') else cell end;
