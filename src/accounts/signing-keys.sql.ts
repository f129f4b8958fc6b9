import type { JWK } from 'jose';
import { sql } from 'kysely';
import type { Database, Tx } from '../postgres/database.ts';
import type { OldRows } from '../postgres/delete-old-rows.ts';

export interface SigningKeyRow {
  kid: string;
  publicJwk: JWK;
  sealedKey: Buffer;
}

export async function insertSigningKey(tx: Tx, { kid, publicJwk, sealedKey }: SigningKeyRow, at: Date): Promise<void> {
  await tx
    .insertInto('signing_key')
    .values({ kid, public_jwk: JSON.stringify(publicJwk), sealed_key: sealedKey, created_at: at, retired_at: null })
    .execute();
}

export async function retireSigningKeys(tx: Tx, at: Date): Promise<string[]> {
  const retired = await tx.updateTable('signing_key').set({ retired_at: at }).where('retired_at', 'is', null).returning('kid').execute();
  return retired.map(({ kid }) => kid);
}

export interface SealedKeyRow {
  kid: string;
  sealedKey: Buffer;
}

export async function selectCurrentKey(tx: Tx): Promise<SealedKeyRow | undefined> {
  return tx.selectFrom('signing_key').select(['kid', 'sealed_key as sealedKey']).where('retired_at', 'is', null).executeTakeFirst();
}

export async function selectKeysForUpdate(tx: Tx): Promise<SealedKeyRow[]> {
  return tx.selectFrom('signing_key').select(['kid', 'sealed_key as sealedKey']).forUpdate().execute();
}

export async function updateSealedKey(tx: Tx, kid: string, sealedKey: Buffer): Promise<void> {
  await tx.updateTable('signing_key').set({ sealed_key: sealedKey }).where('kid', '=', kid).execute();
}

export async function deleteSigningKeys(tx: Tx): Promise<string[]> {
  const deleted = await sql<{ kid: string }>`delete from signing_key returning kid`.execute(tx);
  return deleted.rows.map(({ kid }) => kid);
}

export async function selectPublicKeys(db: Database | Tx): Promise<{ kid: string; publicJwk: JWK }[]> {
  return db.selectFrom('signing_key').select(['kid', 'public_jwk as publicJwk']).orderBy('created_at', 'desc').execute();
}

export const keysRetiredBefore = (before: Date): OldRows => ({
  table: 'signing_key',
  where: sql`retired_at < ${before}`,
  age: 'retired_at',
});
