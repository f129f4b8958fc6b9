import type { Tx } from '../postgres/database.ts';
import { countOldRows, deleteOldRows, type OldRows } from '../postgres/delete-old-rows.ts';
import { expiredNetworks } from './known-networks.sql.ts';
import { expiredFailures } from './login-failures.sql.ts';
import { expiredOneTimeTokens } from './one-time-tokens.sql.ts';
import { expiredSessions, tokensOfExpiredSessions } from './sessions.sql.ts';
import { keysRetiredBefore } from './signing-keys.sql.ts';

const dayMs = 86_400_000;
/** Longer than the longest lifetime of an API token (366 days), so no valid token was signed by a deleted key. */
const retiredKeyDays = 400;

/** Refresh tokens come before sessions: deleting a session deletes its tokens, which may be thousands in one statement. */
export const loginDataKinds = ['refreshTokens', 'sessions', 'loginFailures', 'knownNetworks', 'oneTimeTokens', 'signingKeys'] as const;
export type LoginDataKind = (typeof loginDataKinds)[number];

const expired: Record<LoginDataKind, (at: Date) => OldRows> = {
  refreshTokens: tokensOfExpiredSessions,
  sessions: expiredSessions,
  loginFailures: expiredFailures,
  knownNetworks: expiredNetworks,
  oneTimeTokens: expiredOneTimeTokens,
  signingKeys: (at) => keysRetiredBefore(new Date(at.getTime() - retiredKeyDays * dayMs)),
};

export const countExpiredLoginData = (tx: Tx, kind: LoginDataKind, at: Date): Promise<number> => countOldRows(tx, expired[kind](at));

/** Deletes at most `limit` expired rows of one kind. Returns how many it deleted. */
export const deleteExpiredLoginData = (tx: Tx, kind: LoginDataKind, at: Date, limit: number): Promise<number> =>
  deleteOldRows(tx, expired[kind](at), limit);
