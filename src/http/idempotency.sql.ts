import type { Tx } from '../postgres/database.ts';

export interface KeyRow {
  caller: string;
  key_hash: Buffer;
  fingerprint: Buffer;
}

/** Answers whether the key is now ours. Of two requests at once the second waits here until the first has committed. */
export async function insertKey(tx: Tx, row: KeyRow, at: Date): Promise<boolean> {
  const inserted = await tx
    .insertInto('idempotency_key')
    .values({ ...row, answer: null, created_at: at })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return inserted.numInsertedOrUpdatedRows === 1n;
}

export async function selectKey(tx: Tx, { caller, key_hash }: KeyRow): Promise<{ fingerprint: Buffer; answer: Buffer | null }> {
  return tx
    .selectFrom('idempotency_key')
    .select(['fingerprint', 'answer'])
    .where('caller', '=', caller)
    .where('key_hash', '=', key_hash)
    .executeTakeFirstOrThrow();
}

export async function updateAnswer(tx: Tx, { caller, key_hash }: KeyRow, answer: Buffer): Promise<void> {
  await tx.updateTable('idempotency_key').set({ answer }).where('caller', '=', caller).where('key_hash', '=', key_hash).execute();
}

export async function deleteKeysBefore(tx: Tx, before: Date): Promise<number> {
  const deleted = await tx.deleteFrom('idempotency_key').where('created_at', '<', before).executeTakeFirst();
  return Number(deleted.numDeletedRows);
}
