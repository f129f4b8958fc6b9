import { checks } from '../src/audit/checks.ts';
import type { Database } from '../src/postgres/database.ts';
import { inTransaction } from '../src/postgres/transaction.ts';

/** Everything that the audit finds wrong; of the checks whose name begins like this, where some rows are made by hand. */
export const auditFindings = (db: Database, about = ''): Promise<string[]> =>
  inTransaction(db, { readOnly: true }, async (tx) => {
    const found: string[] = [];
    for (const check of checks.filter(({ name }) => name.startsWith(about))) found.push(...(await check.find(tx)));
    return found;
  });
