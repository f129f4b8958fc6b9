-- Files that users requested.

-- An export. The row is also the job: the worker that holds the advisory lock of its id works on it, and the lock ends with the connection.
-- Attempts are numbered, and only the last attempt can finish the export.
create table export (
  event_id        bigint not null constraint export_event references event,
  id              bigint generated always as identity,
  user_id         bigint not null constraint export_user references app_user,
  type            text not null constraint export_type check (type in ('transactions', 'guestlist', 'passkey')),
  format          text not null constraint export_format check (format in ('csv', 'xlsx')),
  filters         jsonb not null,
  -- Whether the file has e-mail addresses and documents.
  personal        boolean not null,
  -- The language of the column titles and of the mail.
  locale          text not null constraint export_locale check (locale in ('pt-BR', 'en', 'es')),
  bom             boolean not null,
  -- The same for identical requests.
  fingerprint     bytea not null constraint export_fingerprint check (length(fingerprint) = 32),
  status          text not null default 'queued' constraint export_status
                  check (status in ('queued', 'running', 'ready', 'failed', 'cancelled', 'expired')),
  attempt         integer not null default 0 constraint export_attempt check (attempt >= 0),
  next_attempt_at timestamptz not null,
  rows            bigint not null default 0 constraint export_rows check (rows >= 0),
  total           bigint constraint export_total check (total >= 0),
  bytes           bigint constraint export_bytes check (bytes >= 0),
  sha256          bytea constraint export_sha256 check (length(sha256) = 32),
  reason          text,
  -- Stored before the file is created and cleared after it was removed, so that no file is left over.
  file_key        text,
  created_at      timestamptz not null,
  finished_at     timestamptz,
  expires_at      timestamptz,
  constraint export_pkey primary key (event_id, id),
  constraint export_file_once unique (event_id, file_key),
  constraint export_finished check ((status in ('queued', 'running')) = (finished_at is null)),
  constraint export_failed check ((status = 'failed') = (reason is not null)),
  constraint export_ready check ((status in ('ready', 'expired')) = (bytes is not null and sha256 is not null and expires_at is not null)),
  constraint export_has_file check (status <> 'ready' or file_key is not null)
);
comment on column export.filters is 'Personal data. Ends with: exports';
-- The event of an export, for requests that name only the export.
create index export_by_id on export (id);
-- Exports that are not finished, for the worker.
create index export_unfinished on export (id) where status in ('queued', 'running');
-- The requests of a user: identical ones, and how many are not finished.
create index export_of_user on export (user_id, created_at);
-- Files that must be removed.
create index export_with_file on export (id) where file_key is not null and status not in ('queued', 'running');

-- A cell of a CSV file. Spreadsheets run text that starts like a formula, also after blanks, quotes and invisible characters, so such text gets
-- an apostrophe. Some countries separate cells by semicolon, so text after a semicolon is checked too. Most cells start with a letter or a
-- digit, and these must be fast.
create function csv_text(cell text) returns text language sql immutable parallel safe
  return case when (ascii(cell) between 48 and 57 or ascii(cell) between 65 and 90 or ascii(cell) between 97 and 122
                    or ascii(cell) between 192 and 591) and strpos(cell, ';') = 0 then cell
              else regexp_replace(cell, '(^|;)(?=[\s"''\u00A0\u00AD\u1680\u180E\u2000-\u200F\u2028-\u202F\u205F-\u2064\u3000\uFEFF]*[-=+@\t\r\n＝＋－＠])', '\1''', 'g') end;
