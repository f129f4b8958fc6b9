import { sql } from 'kysely';
import type { Locale } from '../../kernel/locale.ts';
import type { Database, Tx } from '../../postgres/database.ts';
import type { OldRows } from '../../postgres/old-rows.ts';
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

/** As JSON, for any number of mails. Due at once. */
export const insertMails = (mails: readonly NewMailRow[]): Statement => sql`
  insert into mail (kind, recipient, locale, payload, dedupe_key, created_at, next_attempt_at)
  select kind, recipient, locale, payload, dedupe_key, created_at, created_at from json_to_recordset(${JSON.stringify(mails)}) as m (
    kind text, recipient text, locale text, payload jsonb, dedupe_key text, created_at timestamptz)
  on conflict (dedupe_key) do nothing`;

/** One limit of one mail, by the mail's place in the list. */
export interface LimitOfMail extends MailLimit {
  mail: number;
}

/**
 * Counts the mails against their limits and queues those within. The others are stored as failed and never sent. Counters are locked in one
 * order, so that two batches cannot wait for each other.
 */
export const insertLimitedMails = (mails: readonly NewMailRow[], limits: readonly LimitOfMail[]): Statement => sql`
  with limits as (
    select mail, scope, period, most, row_number() over (partition by scope, period order by mail) as nth, count(*) over (partition by scope, period) as of
      from json_to_recordset(${JSON.stringify(limits)}) as l (mail integer, scope text, period timestamptz, most integer)),
  counted as (
    insert into mail_count (scope, period, n) select scope, period, count(*) from limits group by scope, period order by scope, period
    on conflict (scope, period) do update set n = mail_count.n + excluded.n returning scope, period, n),
  over_limit as (select mail from limits join counted using (scope, period) where counted.n - limits.of + limits.nth > limits.most),
  mails as (
    select m.*, nth in (select mail from over_limit) as limited
      from json_to_recordset(${JSON.stringify(mails.map((mail, nth) => ({ ...mail, nth })))}) as m (
        nth integer, kind text, recipient text, locale text, payload jsonb, dedupe_key text, created_at timestamptz))
  insert into mail (kind, recipient, locale, payload, dedupe_key, status, last_error, created_at, next_attempt_at)
  select kind, recipient, locale, case when not limited then payload end, dedupe_key, case when limited then 'failed' else 'queued' end,
         case when limited then 'Not sent: too many mails to this address or from this network' end, created_at, created_at
    from mails
  on conflict (dedupe_key) do nothing`;

/** Counts one mail; how many there are now. */
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

/** The oldest that is due and that nobody else is sending. The lock ends with the transaction, and with the process that holds it. */
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

/** `next` is when to try again; null to give it up. */
export async function markTried(tx: Tx, id: number, error: string, next: Date | null): Promise<void> {
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

/** Mails that were sent or given up before that time, with their content. */
export const endedBefore = (before: Date): OldRows => ({
  table: 'mail',
  where: sql`status <> 'queued' and created_at < ${before} and payload is not null`,
  age: 'created_at',
});

/** Those whose content was erased already. */
export const erasedBefore = (before: Date): OldRows => ({
  table: 'mail',
  where: sql`status <> 'queued' and created_at < ${before} and payload is null`,
  age: 'created_at',
});

/** What a mail said and to whom is not needed once it is sent or given up. */
export async function eraseEndedBefore(tx: Tx, before: Date, most: number): Promise<number> {
  const { numAffectedRows } = await sql`
    update mail set payload = null, recipient = null, last_error = null
     where id = any(array(
       select id from mail where ${endedBefore(before).where} order by created_at limit ${most} for update skip locked))`.execute(tx);
  return Number(numAffectedRows ?? 0);
}

export async function selectQueuedSince(tx: Tx, about: string, since: Date): Promise<Date[]> {
  const { rows } = await sql<{ created_at: Date }>`
    select created_at from mail where dedupe_key ^@ ${about} and created_at > ${since} order by created_at desc`.execute(tx);
  return rows.map(({ created_at }) => created_at);
}

/** All that is known of whom the mails about something went to; those that are not sent yet never will be. */
export const forgetMails = (about: string): Statement => sql`
  update mail set status = case when status = 'queued' then 'failed' else status end, payload = null, recipient = null, last_error = null
   where dedupe_key ^@ ${about}`;

/** Of those that were given up only what is not erased yet; both have an index of their own. */
export async function countMails(db: Database): Promise<{ status: 'queued' | 'failed'; n: number }[]> {
  const { rows } = await sql<{ status: 'queued' | 'failed'; n: number }>`
    select 'queued' as status, count(*) as n from mail where status = 'queued'
    union all select 'failed', count(*) from mail where status = 'failed' and payload is not null`.execute(db);
  return rows;
}
