import type { Tx } from '../postgres/database.ts';
import { countOld, deleteOld, type OldRows } from '../postgres/old-rows.ts';
import { expiredNetworks } from './known-networks.sql.ts';
import { expiredFailures } from './login-failures.sql.ts';
import { expiredSessions, tokensOfExpiredSessions } from './sessions.sql.ts';
import { keysRetiredBefore } from './signing-keys.sql.ts';

const dayMs = 86_400_000;
/** Longer than any token lives that a retired key may have signed. */
const retiredKeyDays = 400;

/** Tokens before their sessions: a session may have thousands, and takes those that are left with it. */
export const loginLeftovers = ['refreshTokens', 'sessions', 'loginFailures', 'knownNetworks', 'signingKeys'] as const;
export type LoginLeftover = (typeof loginLeftovers)[number];

const leftovers: Record<LoginLeftover, (at: Date) => OldRows> = {
  refreshTokens: tokensOfExpiredSessions,
  sessions: expiredSessions,
  loginFailures: expiredFailures,
  knownNetworks: expiredNetworks,
  signingKeys: (at) => keysRetiredBefore(new Date(at.getTime() - retiredKeyDays * dayMs)),
};

export const countExpiredLogins = (tx: Tx, kind: LoginLeftover, at: Date): Promise<number> => countOld(tx, leftovers[kind](at));

/** Deletes what time has made useless: ended sessions, old failures, keys with which nothing valid was signed. Returns how many. */
export const forgetExpiredLogins = (tx: Tx, kind: LoginLeftover, at: Date, most: number): Promise<number> =>
  deleteOld(tx, leftovers[kind](at), most);
