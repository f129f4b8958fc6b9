import { randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import type { Act } from '../kernel/act.ts';
import { record } from '../platform/audit.ts';
import type { Database, Tx } from '../postgres/database.ts';
import { revokeAllTokens } from './api-tokens.sql.ts';
import { revokeAllSessions } from './sessions.sql.ts';
import {
  deleteSigningKeys,
  insertSigningKey,
  retireSigningKeys,
  type SealedKeyRow,
  selectCurrentKey,
  selectKeysForUpdate,
  selectPublicKeys,
  updateSealedKey,
} from './signing-keys.sql.ts';

/** Creates a new signing key. Tokens signed by older keys stay valid until they expire, so nobody is logged out. */
export async function rotateSigningKey(tx: Tx, act: Act): Promise<{ kid: string; retired: string[] }> {
  const retired = await retireSigningKeys(tx, act.at);
  const kid = await createSigningKey(tx, act);
  await record(tx, act, { subject: 'signing_key', id: kid, before: { kids: retired }, after: { kid } });
  return { kid, retired };
}

/** Creates the first key of a new database. */
export async function ensureSigningKey(tx: Tx, act: Act): Promise<void> {
  if (await selectCurrentKey(tx)) return;
  const kid = await createSigningKey(tx, act);
  await record(tx, act, { subject: 'signing_key', id: kid, after: { kid } });
}

/**
 * For use after the keys have leaked. All processes reject tokens of the old keys immediately. Sessions and API tokens are revoked too,
 * because someone who has the keys may also have the tokens. All users have to log in again.
 */
export async function revokeSigningKeys(tx: Tx, act: Act): Promise<{ kid: string; sessions: number; tokens: number }> {
  const revoked = await deleteSigningKeys(tx);
  const kid = await createSigningKey(tx, act);
  const sessions = await revokeAllSessions(tx, 'signing keys revoked', act.at);
  const tokens = await revokeAllTokens(tx, act.at);
  await record(tx, act, { subject: 'signing_key', id: kid, before: { kids: revoked }, after: { kid, sessions, tokens } });
  return { kid, sessions, tokens };
}

/** Returns the public keys with which anyone can verify our tokens, as a JSON Web Key Set (RFC 7517). */
export async function describeKeys(db: Database): Promise<{ keys: object[] }> {
  const rows = await selectPublicKeys(db);
  return { keys: rows.map(({ kid, publicJwk }) => ({ ...publicJwk, kid, alg: 'EdDSA', use: 'sig' })) };
}

/** Returns the current signing key, decrypted. */
export async function currentSigningKey(tx: Tx): Promise<{ kid: string; privateJwk: JWK }> {
  const row = await selectCurrentKey(tx);
  if (!row) throw new Error('There is no signing key');
  return { kid: row.kid, privateJwk: openKey(tx, row) };
}

/** Encrypts all private keys again, with the current SECRET_KEY. Returns how many it encrypted. */
export async function sealSigningKeys(tx: Tx): Promise<number> {
  const rows = await selectKeysForUpdate(tx);
  for (const row of rows) await updateSealedKey(tx, row.kid, sealKey(tx, row.kid, openKey(tx, row)));
  return rows.length;
}

const rowName = (kid: string): string => `signing_key ${kid}`;

const sealKey = ({ secrets }: Tx, kid: string, privateJwk: JWK): Buffer =>
  secrets.seal(Buffer.from(JSON.stringify(privateJwk)), rowName(kid));

const openKey = ({ secrets }: Tx, { kid, sealedKey }: SealedKeyRow): JWK =>
  JSON.parse(secrets.open(sealedKey, rowName(kid)).toString()) as JWK;

async function createSigningKey(tx: Tx, act: Act): Promise<string> {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
  const kid = randomUUID();
  const sealedKey = sealKey(tx, kid, await exportJWK(privateKey));
  await insertSigningKey(tx, { kid, publicJwk: await exportJWK(publicKey), sealedKey }, act.at);
  return kid;
}
