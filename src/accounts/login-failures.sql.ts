import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';
import type { OldRows } from '../postgres/delete-old-rows.ts';

export interface Failures {
  failures: number;
  expires_at: Date;
}

/** Adds one to the count of the current window, or starts a new window. The row stays locked until the transaction ends. */
export async function countFailure(tx: Tx, subject: string, at: Date, windowEnds: Date): Promise<Failures> {
  return tx
    .insertInto('login_failure')
    .values({ subject, failures: 1, expires_at: windowEnds })
    .onConflict((conflict) =>
      conflict.column('subject').doUpdateSet({
        failures: sql<number>`case when login_failure.expires_at <= ${at} then 1 else login_failure.failures + 1 end`,
        expires_at: sql<Date>`case when login_failure.expires_at <= ${at} then excluded.expires_at else login_failure.expires_at end`,
      }),
    )
    .returning(['failures', 'expires_at'])
    .executeTakeFirstOrThrow();
}

export interface Delays {
  /** The number of attempts that are allowed without a delay. */
  free: number;
  /** The first delay in minutes. Each further attempt doubles the delay, up to `longestMinutes`. */
  firstMinutes: number;
  longestMinutes: number;
  /** The count is reset if there is no further attempt until this time. */
  forgottenAt: Date;
}

/**
 * Counts an attempt and sets the delay before the next attempt. Returns null, and counts nothing, while a delay is running.
 * The row stays locked until the transaction ends, so concurrent attempts run one after the other.
 */
export async function countDelayed(tx: Tx, subject: string, at: Date, delays: Delays): Promise<{ failures: number } | null> {
  const { rows } = await sql<{ failures: number }>`
    insert into login_failure as f (subject, failures, expires_at) values (${subject}, 1, ${delays.forgottenAt})
    on conflict (subject) do update
      set failures = case when f.expires_at <= ${at} then 1 else f.failures + 1 end,
          blocked_until = case when f.expires_at > ${at} and f.failures + 1 >= ${delays.free}::int
            then ${at}::timestamptz + interval '1 minute'
              * least(${delays.longestMinutes}::int, ${delays.firstMinutes}::int * 2 ^ least(f.failures + 1 - ${delays.free}::int, 30)) end,
          expires_at = excluded.expires_at
      where f.blocked_until is null or f.blocked_until <= ${at} or f.expires_at <= ${at}
    returning failures`.execute(tx);
  return rows[0] ?? null;
}

/** Decrements the count. A count of 1 stays, because the table does not allow 0. */
export async function uncountFailure(tx: Tx, subject: string): Promise<void> {
  await tx
    .updateTable('login_failure')
    .set({ failures: sql`failures - 1` })
    .where('subject', '=', subject)
    .where('failures', '>', 1)
    .execute();
}

export async function selectBlockedUntil(tx: Tx, subject: string): Promise<Date | null> {
  const row = await tx.selectFrom('login_failure').select('blocked_until').where('subject', '=', subject).executeTakeFirst();
  return row?.blocked_until ?? null;
}

export async function selectFailures(tx: Tx, subject: string, at: Date): Promise<Failures | undefined> {
  return tx
    .selectFrom('login_failure')
    .select(['failures', 'expires_at'])
    .where('subject', '=', subject)
    .where('expires_at', '>', at)
    .executeTakeFirst();
}

export async function deleteFailures(tx: Tx, subject: string): Promise<void> {
  await tx.deleteFrom('login_failure').where('subject', '=', subject).execute();
}

export const expiredFailures = (at: Date): OldRows => ({ table: 'login_failure', where: sql`expires_at <= ${at}`, age: 'expires_at' });

export interface SubjectFailures extends Failures {
  subject: string;
}

/** The failures of many subjects, in windows that have not expired. */
export const selectFailuresOf = (subjects: readonly string[], at: Date): RawBuilder<SubjectFailures> => sql`
  select subject, failures, expires_at from login_failure where subject = any(${subjects}::text[]) and expires_at > ${at}`;

/**
 * Adds failures of many subjects to their current windows, or starts new windows. Returns the new totals.
 * The rows are locked in the order of their subjects, so that concurrent transactions do not deadlock.
 */
export const countFailures = (added: readonly SubjectFailures[], at: Date): RawBuilder<SubjectFailures> => sql`
  insert into login_failure as f (subject, failures, expires_at)
  select * from unnest(
      ${added.map(({ subject }) => subject)}::text[], ${added.map(({ failures }) => failures)}::int[],
      ${added.map(({ expires_at }) => expires_at.toISOString())}::timestamptz[]) as added (subject, failures, expires_at)
   order by subject
  on conflict (subject) do update
    set failures = case when f.expires_at <= ${at} then excluded.failures else f.failures + excluded.failures end,
        expires_at = case when f.expires_at <= ${at} then excluded.expires_at else f.expires_at end
  returning subject, failures, expires_at`;
