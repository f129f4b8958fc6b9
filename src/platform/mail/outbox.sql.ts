import { sql } from 'kysely';
import type { Locale } from '../../kernel/locale.ts';
import type { Database, Tx } from '../../postgres/database.ts';
import { eraseInOldRows, type OldRows } from '../../postgres/delete-old-rows.ts';
import type { Statement } from '../../postgres/pipeline.ts';
import type { MailLimit } from './mail-limits.ts';

export interface NewMailRow {
  /** 0 if the mail belongs to no event. */
  event_id: number;
  kind: string;
  recipient: string | null;
  locale: string;
  payload: object;
  dedupe_key: string;
  created_at: Date;
}

/** The mails are one JSON parameter, so that the statement text is the same for any number of mails. The mails are due immediately. */
export const insertMails = (mails: readonly NewMailRow[]): Statement => sql`
  insert into mail (event_id, kind, recipient, locale, payload, dedupe_key, created_at, next_attempt_at)
  select event_id, kind, recipient, locale, payload, dedupe_key, created_at, created_at from json_to_recordset(${JSON.stringify(mails)}) as m (
    event_id bigint, kind text, recipient text, locale text, payload jsonb, dedupe_key text, created_at timestamptz)
  on conflict (event_id, dedupe_key) do nothing`;

/** One limit of one mail. `mail` is the index of the mail in the list. */
export interface LimitOfMail extends MailLimit {
  mail: number;
}

const limitsAsRows = (limits: readonly LimitOfMail[]) => sql`
  json_to_recordset(${JSON.stringify(limits)}) as l (mail integer, scope text, period timestamptz, max integer)`;

/**
 * Counts mails against their limits. Counters are locked in the order of their keys, so that concurrent batches cannot deadlock.
 * `insertLimitedMails` must follow in the same transaction.
 */
export const countAgainstLimits = (limits: readonly LimitOfMail[]): Statement => sql`
  insert into mail_count (scope, period, n)
  select scope, period, count(*) from ${limitsAsRows(limits)} group by scope, period order by scope, period
  on conflict (scope, period) do update set n = mail_count.n + excluded.n`;

/**
 * Queues the mails within their limits. The other mails are stored as failed and never sent. The mails are already counted, so the count
 * before mail number `nth` of a scope is `n - of + nth - 1`.
 */
export const insertLimitedMails = (mails: readonly NewMailRow[], limits: readonly LimitOfMail[]): Statement => sql`
  insert into mail (event_id, kind, recipient, locale, payload, dedupe_key, status, last_error, created_at, next_attempt_at)
  select event_id, kind, recipient, locale, case when not limited then payload end, dedupe_key, case when limited then 'failed' else 'queued' end,
         case when limited then 'Not sent: too many mails to this address or from this network' end, created_at, created_at
    from (select m.*, m.nth in (
                   select mail from (select mail, scope, period, max, row_number() over same as nth, count(*) over (partition by scope, period) as of
                                       from ${limitsAsRows(limits)} window same as (partition by scope, period order by mail)) l
                     join mail_count c using (scope, period) where c.n - l.of + l.nth > l.max) as limited
            from json_to_recordset(${JSON.stringify(mails.map((mail, nth) => ({ ...mail, nth })))}) as m (
              nth integer, event_id bigint, kind text, recipient text, locale text, payload jsonb, dedupe_key text, created_at timestamptz)) mails
  on conflict (event_id, dedupe_key) do nothing`;

/** Adds one to the counter and returns the new count. */
export async function countMail(tx: Tx, { scope, period }: MailLimit): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    insert into mail_count (scope, period, n) values (${scope}, ${period}, 1)
    on conflict (scope, period) do update set n = mail_count.n + 1 returning n`.execute(tx);
  return rows[0]?.n ?? 0;
}

export const countsBefore = (before: Date): OldRows => ({ table: 'mail_count', where: sql`period < ${before}`, age: 'period' });

export interface MailKey {
  event_id: number;
  id: number;
}

export interface DueMailRow extends MailKey {
  kind: string;
  recipient: string | null;
  locale: Locale;
  payload: object;
  attempts: number;
  message_id: string;
}

const isDue = (at: Date) => sql`status = 'queued' and next_attempt_at <= ${at}`;

/** Returns mails that are due, oldest first. Other workers may take them at any time. */
export async function selectDueMails(db: Database, at: Date, limit: number): Promise<MailKey[]> {
  const { rows } = await sql<MailKey>`
    /* all events */ select event_id, id from mail where ${isDue(at)} order by next_attempt_at, id limit ${limit}`.execute(db);
  return rows;
}

/**
 * Locks the mail, if it is still due and no other worker has locked it. If the worker process dies, the lock ends with its connection.
 * `|| ''` keeps the planner from searching the mail among all due mails.
 */
export async function lockDueMail(tx: Tx, { event_id, id }: MailKey, at: Date): Promise<DueMailRow | undefined> {
  const { rows } = await sql<DueMailRow>`
    select event_id, id, kind, recipient, locale, payload, attempts, message_id from mail
     where event_id = ${event_id} and id = ${id} and status || '' = 'queued' and next_attempt_at <= ${at} for update skip locked`.execute(
    tx,
  );
  return rows[0];
}

export async function markSent(tx: Tx, { event_id, id }: MailKey, at: Date): Promise<void> {
  await tx
    .updateTable('mail')
    .set(({ eb }) => ({ status: 'sent', attempts: eb('attempts', '+', 1), sent_at: at, last_error: null }))
    .where('event_id', '=', event_id)
    .where('id', '=', id)
    .execute();
}

/** `next` is the time of the next attempt; null marks the mail as failed. */
export async function markNotSent(tx: Tx, { event_id, id }: MailKey, error: string, next: Date | null): Promise<void> {
  await tx
    .updateTable('mail')
    .set(({ eb }) => ({
      attempts: eb('attempts', '+', 1),
      last_error: error,
      ...(next === null ? { status: 'failed' as const } : { next_attempt_at: next }),
    }))
    .where('event_id', '=', event_id)
    .where('id', '=', id)
    .execute();
}

/** Sent and failed mails that were created before this time and whose content is still stored. */
export const finishedBefore = (before: Date): OldRows => ({
  table: 'mail',
  where: sql`status <> 'queued' and created_at < ${before} and payload is not null`,
  age: 'created_at',
  keyedByEvent: true,
});

/** Sent and failed mails that were created before this time and whose content was erased. */
export const erasedBefore = (before: Date): OldRows => ({
  table: 'mail',
  where: sql`status <> 'queued' and created_at < ${before} and payload is null`,
  age: 'created_at',
  keyedByEvent: true,
});

/** Erases the content and the recipient of sent and failed mails, which are not needed any more. */
export const eraseFinishedBefore = (tx: Tx, before: Date, limit: number): Promise<number> =>
  eraseInOldRows(tx, finishedBefore(before), ['payload', 'recipient', 'last_error'], limit);

export async function selectQueuedSince(tx: Tx, eventId: number, about: string, since: Date): Promise<Date[]> {
  const { rows } = await sql<{ created_at: Date }>`
    select created_at from mail
     where event_id = ${eventId} and dedupe_key ^@ ${about} and created_at > ${since} order by created_at desc`.execute(tx);
  return rows.map(({ created_at }) => created_at);
}

/** Erases content and recipient of the event's mails whose dedupe key starts with `about`. Queued mails are marked as failed and not sent. */
export const eraseMails = (eventId: number, about: string): Statement => sql`
  update mail set status = case when status = 'queued' then 'failed' else status end, payload = null, recipient = null, last_error = null
   where event_id = ${eventId} and dedupe_key ^@ ${about}`;

/** Counts failed mails only until they are erased. Each of the two counts has a partial index. */
/** In seconds. 0 if no mail is due. */
export async function selectLongestDelay(db: Database): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    /* all events */ select greatest(coalesce(extract(epoch from now() - min(next_attempt_at)), 0), 0)::float8 as seconds
                       from mail where status = 'queued'`.execute(db);
  return rows[0]?.seconds ?? 0;
}

export async function countMails(db: Database): Promise<{ status: 'queued' | 'failed'; n: number }[]> {
  const { rows } = await sql<{ status: 'queued' | 'failed'; n: number }>`
    /* all events */ select 'queued' as status, count(*) as n from mail where status = 'queued'
    union all select 'failed', count(*) from mail where status = 'failed' and payload is not null`.execute(db);
  return rows;
}
