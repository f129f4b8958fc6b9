import type { Act } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { hashRefreshToken, type IssuedLogin, issueTokens } from './session.ts';
import { markRefreshTokenUsed, revokeSession, selectRefreshTokenForUpdate, updateLastUsed } from './sessions.sql.ts';
import { selectUser } from './users.sql.ts';

/** The problem is returned, not thrown, so that the transaction commits and a stolen session stays revoked. */
export async function refresh(tx: Tx, act: Act, refreshToken: string): Promise<IssuedLogin | Problem> {
  const hash = hashRefreshToken(refreshToken);
  const token = await selectRefreshTokenForUpdate(tx, hash);
  const refused = new Problem('invalid_refresh_token', 'The refresh token is unknown, expired, used or revoked. Log in again.');
  if (!token || token.revoked_at || token.expires_at <= act.at) return refused;
  if (token.used_at) {
    await revokeSession(tx, token.session_id, 'refresh token used twice', act.at);
    await record(tx, act, { subject: 'login_session', id: token.session_id, after: { revoked: 'refresh token used twice' } });
    return refused;
  }
  const user = await selectUser(tx, token.user_id);
  if (!user || user.disabled_at) return refused;
  await markRefreshTokenUsed(tx, hash, act.at);
  await updateLastUsed(tx, token.session_id, act.at);
  const login = await issueTokens(tx, user, token.session_id, act.at);
  await record(tx, act, { subject: 'login_session', id: token.session_id, after: { refreshed: true } });
  return login;
}
