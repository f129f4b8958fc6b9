import { sql } from 'kysely';
import { checks } from '../src/audit/checks.ts';
import type { Database } from '../src/postgres/database.ts';
import { inTransaction } from '../src/postgres/transaction.ts';

/** Returns all findings of the audit. With `about`, only checks whose name starts with it run. Tests that insert rows by hand need this. */
export const auditFindings = (db: Database, about = ''): Promise<string[]> =>
  inTransaction(db, { readOnly: true }, async (tx) => {
    const found: string[] = [];
    for (const check of checks.filter(({ name }) => name.startsWith(about))) found.push(...(await check.find(tx)));
    return found;
  });

/** Returns all findings of the audit after this statement, which is rolled back. */
export async function auditFindingsAfter(db: Database, fault: string): Promise<string[]> {
  const found: string[] = [];
  const rolledBack = new Error('rolled back');
  const trying = inTransaction(db, {}, async (tx) => {
    await sql.raw(fault).execute(tx);
    for (const { find } of checks) found.push(...(await find(tx)));
    throw rolledBack;
  });
  await trying.catch((error: unknown) => {
    if (error !== rolledBack) throw error;
  });
  return found;
}
