import type { Act, Anonymous, User } from '../kernel/act.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { hashRefreshToken } from './session.ts';
import { revokeSession, selectRefreshTokenForUpdate } from './sessions.sql.ts';

/**
 * Revokes the session of the access token, or the session of the cookie if there is no access token. Returns whether the cookie belongs to a
 * session that has ended. Other apps on this site may have sessions of their own, so their log-out keeps the cookie of the console.
 */
export async function logout(tx: Tx, act: Act<User | Anonymous>, cookie: string | null): Promise<{ cookieEnded: boolean }> {
  const ofCookie = cookie === null ? undefined : await selectRefreshTokenForUpdate(tx, hashRefreshToken(cookie));
  const sessionId = act.actor.kind === 'user' ? act.actor.sessionId : (ofCookie?.session_id ?? null);
  if (sessionId !== null && (await revokeSession(tx, sessionId, 'logged out', act.at)))
    await record(tx, act, { subject: 'login_session', id: sessionId, after: { revoked: 'logged out' } });
  return { cookieEnded: cookie !== null && (ofCookie === undefined || ofCookie.session_id === sessionId || ofCookie.revoked_at !== null) };
}
