import type { Tx } from '../postgres/database.ts';
import { deleteExpiredNetworks } from './known-networks.sql.ts';
import { deleteExpiredFailures } from './login-failures.sql.ts';
import { deleteSessionsExpiredBefore } from './sessions.sql.ts';
import { deleteKeysRetiredBefore } from './signing-keys.sql.ts';

const dayMs = 86_400_000;
/** Longer than any token lives that a retired key may have signed. */
const retiredKeyDays = 400;

/** Deletes expired sessions, failures and known networks, and signing keys that no valid token was signed with. */
export async function forgetExpiredLogins(tx: Tx, at: Date): Promise<Record<string, number>> {
  return {
    sessions: await deleteSessionsExpiredBefore(tx, at),
    failures: await deleteExpiredFailures(tx, at),
    networks: await deleteExpiredNetworks(tx, at),
    keys: await deleteKeysRetiredBefore(tx, new Date(at.getTime() - retiredKeyDays * dayMs)),
  };
}
