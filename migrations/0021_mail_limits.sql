-- How many mails were asked for in a period, by recipient and by network. Orders that cost nothing must not flood a mailbox.
create table mail_count (
  -- `to:` with a hash of the address, or `network:` with the caller's network.
  scope  text collate "C" not null,
  -- When the period began: an hour or a day, by the scope.
  period timestamptz not null,
  n      integer not null check (n > 0),
  primary key (scope, period)
);
-- Old periods are deleted.
create index mail_count_period on mail_count (period);
