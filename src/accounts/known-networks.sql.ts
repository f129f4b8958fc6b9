import { sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';
import type { OldRows } from '../postgres/delete-old-rows.ts';

export async function isKnownNetwork(tx: Tx, hash: Buffer, at: Date): Promise<boolean> {
  const known = await tx
    .selectFrom('known_network')
    .select('hash')
    .where('hash', '=', hash)
    .where('expires_at', '>', at)
    .executeTakeFirst();
  return known !== undefined;
}

export async function upsertKnownNetwork(tx: Tx, hash: Buffer, expiresAt: Date): Promise<void> {
  await tx
    .insertInto('known_network')
    .values({ hash, expires_at: expiresAt })
    .onConflict((conflict) => conflict.column('hash').doUpdateSet({ expires_at: expiresAt }))
    .execute();
}

export const expiredNetworks = (at: Date): OldRows => ({ table: 'known_network', where: sql`expires_at <= ${at}`, age: 'expires_at' });
