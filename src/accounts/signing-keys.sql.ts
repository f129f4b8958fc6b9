import type { JWK } from 'jose';
import { sql } from 'kysely';
import type { Database, Tx } from '../postgres/database.ts';
import type { OldRows } from '../postgres/old-rows.ts';

export interface SigningKeyRow {
  kid: string;
  publicJwk: JWK;
  privateJwk: JWK;
}

export async function insertSigningKey(tx: Tx, { kid, publicJwk, privateJwk }: SigningKeyRow, at: Date): Promise<void> {
  await tx
    .insertInto('signing_key')
    .values({ kid, public_jwk: JSON.stringify(publicJwk), private_jwk: JSON.stringify(privateJwk), created_at: at, retired_at: null })
    .execute();
}

export async function retireSigningKeys(tx: Tx, at: Date): Promise<string[]> {
  const retired = await tx.updateTable('signing_key').set({ retired_at: at }).where('retired_at', 'is', null).returning('kid').execute();
  return retired.map(({ kid }) => kid);
}

export async function selectCurrentKey(tx: Tx): Promise<{ kid: string; privateJwk: JWK } | undefined> {
  return tx.selectFrom('signing_key').select(['kid', 'private_jwk as privateJwk']).where('retired_at', 'is', null).executeTakeFirst();
}

export async function selectPublicKeys(db: Database | Tx): Promise<{ kid: string; publicJwk: JWK }[]> {
  return db.selectFrom('signing_key').select(['kid', 'public_jwk as publicJwk']).orderBy('created_at', 'desc').execute();
}

export const keysRetiredBefore = (before: Date): OldRows => ({
  table: 'signing_key',
  where: sql`retired_at < ${before}`,
  age: 'retired_at',
});
