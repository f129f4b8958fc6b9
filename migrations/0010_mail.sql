-- The outbox: what is to be sent is written down in the transaction of what it tells of, and sent afterwards, by whoever finds it due.
create table mail (
  id              bigint generated always as identity primary key,
  -- Says which template, and what the payload holds.
  kind            text not null,
  -- Null where the template finds out to whom, so that the address stands in one place only.
  recipient       text,
  locale          text not null check (locale in ('pt-BR', 'en', 'es')),
  -- Gone some time after it was sent.
  payload         jsonb,
  -- Of mails with the same key one is sent. Begins with what the mail is about, e.g. `order/1001/`; C, so that it is found by that.
  dedupe_key      text collate "C" not null unique,
  status          text not null default 'queued' check (status in ('queued', 'sent', 'failed')),
  attempts        integer not null default 0 check (attempts >= 0),
  next_attempt_at timestamptz not null,
  last_error      text,
  -- The same at every attempt: a mail that came twice can be known by it.
  message_id      uuid not null default gen_random_uuid(),
  created_at      timestamptz not null,
  sent_at         timestamptz,
  check ((status = 'sent') = (sent_at is not null)),
  check (status <> 'queued' or payload is not null)
);
create index mail_due on mail (next_attempt_at, id) where status = 'queued';
create index mail_failed on mail (id) where status = 'failed' and payload is not null;
create index mail_to_erase on mail (created_at) where status <> 'queued' and payload is not null;
