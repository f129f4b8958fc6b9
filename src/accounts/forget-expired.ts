import type { Tx } from '../postgres/database.ts';
import { deleteExpiredFailures } from './login-failures.sql.ts';
import { deleteSessionsExpiredBefore } from './sessions.sql.ts';
import { deleteKeysRetiredBefore } from './signing-keys.sql.ts';

const dayMs = 86_400_000;
/** Longer than any token lives that a retired key may have signed. */
const retiredKeyDays = 400;

/** Removes what time has made useless: ended sessions, old failures, keys that nothing valid was signed with. */
export async function forgetExpiredLogins(tx: Tx, at: Date): Promise<{ sessions: number; failures: number; keys: number }> {
  return {
    sessions: await deleteSessionsExpiredBefore(tx, at),
    failures: await deleteExpiredFailures(tx, at),
    keys: await deleteKeysRetiredBefore(tx, new Date(at.getTime() - retiredKeyDays * dayMs)),
  };
}
