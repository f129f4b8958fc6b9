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
