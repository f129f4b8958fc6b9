import { sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';
import type { OldRows } from '../postgres/old-rows.ts';

export interface Failures {
  failures: number;
  expires_at: Date;
}

/** Counts one more in the running window, or opens a new one. The row stays locked, so attempts on one account queue up. */
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
