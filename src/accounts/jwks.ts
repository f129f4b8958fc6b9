import type { Database } from '../postgres/database.ts';
import { selectPublicKeys } from './signing-keys.sql.ts';

/** The public keys by which anyone can check our tokens (RFC 7517). */
export async function describeKeys(db: Database): Promise<{ keys: object[] }> {
  const rows = await selectPublicKeys(db);
  return { keys: rows.map(({ kid, publicJwk }) => ({ ...publicJwk, kid, alg: 'EdDSA', use: 'sig' })) };
}
