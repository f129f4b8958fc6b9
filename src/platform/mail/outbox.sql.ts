import { sql } from 'kysely';
import type { Locale } from '../../kernel/locale.ts';
import type { Database, Tx } from '../../postgres/database.ts';
import type { OldRows } from '../../postgres/delete-old-rows.ts';
import type { Statement } from '../../postgres/pipeline.ts';
import type { MailLimit } from './mail-limits.ts';

export interface NewMailRow {
  kind: string;
  recipient: string | null;
  locale: string;
  payload: object;
  dedupe_key: string;
  created_at: Date;
}

/** The mails are one JSON parameter, so that the statement text is the same for any number of mails. The mails are due immediately. */
export const insertMails = (mails: readonly NewMailRow[]): Statement => sql`
  insert into mail (kind, recipient, locale, payload, dedupe_key, created_at, next_attempt_at)
  select kind, recipient, locale, payload, dedupe_key, created_at, created_at from json_to_recordset(${JSON.stringify(mails)}) as m (
    kind text, recipient text, locale text, payload jsonb, dedupe_key text, created_at timestamptz)
  on conflict (dedupe_key) do nothing`;

/** One limit of one mail. `mail` is the index of the mail in the list. */
export interface LimitOfMail extends MailLimit {
  mail: number;
}

/**
 * Counts the mails against their limits and queues the mails within their limits. The other mails are stored as failed and never sent.
 * Counters are locked in the order of their keys, so that concurrent batches cannot deadlock.
 */
export const insertLimitedMails = (mails: readonly NewMailRow[], limits: readonly LimitOfMail[]): Statement => sql`
  with limits as (
    select mail, scope, period, max, row_number() over (partition by scope, period order by mail) as nth, count(*) over (partition by scope, period) as of
      from json_to_recordset(${JSON.stringify(limits)}) as l (mail integer, scope text, period timestamptz, max integer)),
  counted as (
    insert into mail_count (scope, period, n) select scope, period, count(*) from limits group by scope, period order by scope, period
    on conflict (scope, period) do update set n = mail_count.n + excluded.n returning scope, period, n),
  over_limit as (select mail from limits join counted using (scope, period) where counted.n - limits.of + limits.nth > limits.max),
  mails as (
    select m.*, nth in (select mail from over_limit) as limited
      from json_to_recordset(${JSON.stringify(mails.map((mail, nth) => ({ ...mail, nth })))}) as m (
        nth integer, kind text, recipient text, locale text, payload jsonb, dedupe_key text, created_at timestamptz))
  insert into mail (kind, recipient, locale, payload, dedupe_key, status, last_error, created_at, next_attempt_at)
  select kind, recipient, locale, case when not limited then payload end, dedupe_key, case when limited then 'failed' else 'queued' end,
         case when limited then 'Not sent: too many mails to this address or from this network' end, created_at, created_at
    from mails
  on conflict (dedupe_key) do nothing`;

/** Adds one to the counter and returns the new count. */
export async function countMail(tx: Tx, { scope, period }: MailLimit): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    insert into mail_count (scope, period, n) values (${scope}, ${period}, 1)
    on conflict (scope, period) do update set n = mail_count.n + 1 returning n`.execute(tx);
  return rows[0]?.n ?? 0;
}

export const countsBefore = (before: Date): OldRows => ({ table: 'mail_count', where: sql`period < ${before}`, age: 'period' });

export interface DueMailRow {
  id: number;
  kind: string;
  recipient: string | null;
  locale: Locale;
  payload: object;
  attempts: number;
  message_id: string;
}

/** Locks the oldest due mail that no other worker has locked. If the worker process dies, the lock ends with its connection. */
export async function lockDueMail(tx: Tx, at: Date): Promise<DueMailRow | undefined> {
  const { rows } = await sql<DueMailRow>`
    select id, kind, recipient, locale, payload, attempts, message_id from mail
     where status = 'queued' and next_attempt_at <= ${at} order by next_attempt_at, id limit 1 for update skip locked`.execute(tx);
  return rows[0];
}

export async function markSent(tx: Tx, id: number, at: Date): Promise<void> {
  await tx
    .updateTable('mail')
    .set(({ eb }) => ({ status: 'sent', attempts: eb('attempts', '+', 1), sent_at: at, last_error: null }))
    .where('id', '=', id)
    .execute();
}

/** `next` is the time of the next attempt; null marks the mail as failed. */
export async function markNotSent(tx: Tx, id: number, error: string, next: Date | null): Promise<void> {
  await tx
    .updateTable('mail')
    .set(({ eb }) => ({
      attempts: eb('attempts', '+', 1),
      last_error: error,
      ...(next === null ? { status: 'failed' as const } : { next_attempt_at: next }),
    }))
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
export async function eraseFinishedBefore(tx: Tx, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    update mail set payload = null, recipient = null, last_error = null
     where id = any(array(
       select id from mail where ${finishedBefore(before).where} order by created_at limit ${limit} for update skip locked))`.execute(tx);
  return Number(numAffectedRows ?? 0);
}

export async function selectQueuedSince(tx: Tx, about: string, since: Date): Promise<Date[]> {
  const { rows } = await sql<{ created_at: Date }>`
    select created_at from mail where dedupe_key ^@ ${about} and created_at > ${since} order by created_at desc`.execute(tx);
  return rows.map(({ created_at }) => created_at);
}

/** Erases content and recipient of the mails whose dedupe key starts with `about`. Queued mails are marked as failed and not sent. */
export const eraseMails = (about: string): Statement => sql`
  update mail set status = case when status = 'queued' then 'failed' else status end, payload = null, recipient = null, last_error = null
   where dedupe_key ^@ ${about}`;

/** Counts failed mails only until they are erased. Each of the two counts has a partial index. */
export async function countMails(db: Database): Promise<{ status: 'queued' | 'failed'; n: number }[]> {
  const { rows } = await sql<{ status: 'queued' | 'failed'; n: number }>`
    select 'queued' as status, count(*) as n from mail where status = 'queued'
    union all select 'failed', count(*) from mail where status = 'failed' and payload is not null`.execute(db);
  return rows;
}
