import { type Selectable, sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';
import type { OldRows } from '../postgres/delete-old-rows.ts';
import type { Schema } from '../postgres/schema.ts';

export type OneTimeTokenRow = Selectable<Schema['one_time_token']>;
export type Purpose = OneTimeTokenRow['purpose'];

export async function insertOneTimeToken(tx: Tx, row: OneTimeTokenRow): Promise<void> {
  await tx.insertInto('one_time_token').values(row).execute();
}

export async function selectOwnerOfToken(tx: Tx, hash: Buffer): Promise<number | undefined> {
  return (await tx.selectFrom('one_time_token').select('user_id').where('hash', '=', hash).executeTakeFirst())?.user_id;
}

/** Locks the token, so that of two concurrent uses the second waits and then finds nothing. */
export async function selectOneTimeTokenForUpdate(tx: Tx, hash: Buffer, purpose: Purpose, at: Date): Promise<OneTimeTokenRow | undefined> {
  return tx
    .selectFrom('one_time_token')
    .selectAll()
    .where('hash', '=', hash)
    .where('purpose', '=', purpose)
    .where('expires_at', '>', at)
    .forUpdate()
    .executeTakeFirst();
}

export async function deleteOneTimeToken(tx: Tx, hash: Buffer): Promise<void> {
  await tx.deleteFrom('one_time_token').where('hash', '=', hash).execute();
}

export async function deleteOneTimeTokensOf(tx: Tx, userId: number): Promise<void> {
  await tx.deleteFrom('one_time_token').where('user_id', '=', userId).execute();
}

export const expiredOneTimeTokens = (at: Date): OldRows => ({
  table: 'one_time_token',
  where: sql`expires_at <= ${at}`,
  age: 'expires_at',
});
