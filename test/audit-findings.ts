import { checks } from '../src/audit/checks.ts';
import type { Database } from '../src/postgres/database.ts';
import { inTransaction } from '../src/postgres/transaction.ts';

/** Returns all findings of the audit. `about` limits it to checks whose name starts with it, for tests that insert rows by hand. */
export const auditFindings = (db: Database, about = ''): Promise<string[]> =>
  inTransaction(db, { readOnly: true }, async (tx) => {
    const found: string[] = [];
    for (const check of checks.filter(({ name }) => name.startsWith(about))) found.push(...(await check.find(tx)));
    return found;
  });
