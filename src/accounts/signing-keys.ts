import { randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair } from 'jose';
import type { Act } from '../kernel/act.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { insertSigningKey, retireSigningKeys, selectCurrentKey } from './signing-keys.sql.ts';

/** From now on a new key signs; what the old ones signed stays good until it expires, so nobody is logged out. */
export async function rotateSigningKey(tx: Tx, act: Act): Promise<{ kid: string; retired: string[] }> {
  const retired = await retireSigningKeys(tx, act.at);
  const kid = await createSigningKey(tx, act);
  await record(tx, act, { subject: 'signing_key', id: kid, before: { kids: retired }, after: { kid } });
  return { kid, retired };
}

/** Makes the first key of a new database. */
export async function ensureSigningKey(tx: Tx, act: Act): Promise<void> {
  if (await selectCurrentKey(tx)) return;
  const kid = await createSigningKey(tx, act);
  await record(tx, act, { subject: 'signing_key', id: kid, after: { kid } });
}

async function createSigningKey(tx: Tx, act: Act): Promise<string> {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
  const kid = randomUUID();
  await insertSigningKey(tx, { kid, publicJwk: await exportJWK(publicKey), privateJwk: await exportJWK(privateKey) }, act.at);
  return kid;
}
