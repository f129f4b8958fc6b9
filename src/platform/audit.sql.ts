import type { Insertable } from 'kysely';
import type { Tx } from '../postgres/database.ts';
import type { Schema } from '../postgres/schema.ts';

export async function insertAuditEntry(tx: Tx, entry: Insertable<Schema['audit_log']>): Promise<void> {
  await tx.insertInto('audit_log').values(entry).execute();
}
