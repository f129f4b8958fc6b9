import type { Tx } from '../postgres/database.ts';
import { revokeTokensOf } from './api-tokens.sql.ts';
import { deleteOneTimeTokensOf } from './one-time-tokens.sql.ts';
import { revokeSessions } from './sessions.sql.ts';

/**
 * Revokes sessions, API tokens, started log-ins and links in mails after a password change. API tokens are revoked too, because someone who knew the old password may have
 * created them. The caller holds the lock on the user. Returns the details for the audit entry.
 */
export async function revokeAccess(
  tx: Tx,
  userId: number,
  { exceptSession, keepTokens, because }: { exceptSession: string | null; keepTokens: boolean; because: string },
  at: Date,
): Promise<{ password: 'changed'; revokedApiTokens?: number[] }> {
  await revokeSessions(tx, userId, exceptSession, because, at);
  await deleteOneTimeTokensOf(tx, userId);
  const revokedApiTokens = keepTokens ? [] : await revokeTokensOf(tx, userId, at);
  return { password: 'changed', ...(revokedApiTokens.length > 0 && { revokedApiTokens }) };
}
