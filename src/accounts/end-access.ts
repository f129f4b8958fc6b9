import type { Tx } from '../postgres/database.ts';
import { revokeTokensOf } from './api-tokens.sql.ts';
import { revokeSessions } from './sessions.sql.ts';

/**
 * Ends what the old password gave access to: whoever knew it may have created API tokens.
 * The caller holds the lock on the user. Returns what the audit log says about it.
 */
export async function endAccess(
  tx: Tx,
  userId: number,
  { exceptSession, keepTokens, because }: { exceptSession: string | null; keepTokens: boolean; because: string },
  at: Date,
): Promise<{ password: 'changed'; revokedApiTokens?: number[] }> {
  await revokeSessions(tx, userId, exceptSession, because, at);
  const revokedApiTokens = keepTokens ? [] : await revokeTokensOf(tx, userId, at);
  return { password: 'changed', ...(revokedApiTokens.length > 0 && { revokedApiTokens }) };
}
