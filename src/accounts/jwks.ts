import type { Database } from '../postgres/database.ts';
import { selectPublicKeys } from './signing-keys.sql.ts';

/** Returns the public keys with which anyone can verify our tokens, as a JSON Web Key Set (RFC 7517). */
export async function describeKeys(db: Database): Promise<{ keys: object[] }> {
  const rows = await selectPublicKeys(db);
  return { keys: rows.map(({ kid, publicJwk }) => ({ ...publicJwk, kid, alg: 'EdDSA', use: 'sig' })) };
}
