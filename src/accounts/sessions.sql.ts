import { sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';
import type { OldRows } from '../postgres/delete-old-rows.ts';

export async function insertSession(tx: Tx, session: { id: string; userId: number; at: Date; expiresAt: Date }): Promise<void> {
  await tx
    .insertInto('auth_session')
    .values({
      id: session.id,
      user_id: session.userId,
      created_at: session.at,
      expires_at: session.expiresAt,
      revoked_at: null,
      revoked_because: null,
    })
    .execute();
}

export async function insertRefreshToken(tx: Tx, hash: Buffer, sessionId: string, at: Date): Promise<void> {
  await tx.insertInto('refresh_token').values({ hash, session_id: sessionId, issued_at: at, used_at: null }).execute();
}

export interface RefreshRow {
  session_id: string;
  user_id: number;
  used_at: Date | null;
  expires_at: Date;
  revoked_at: Date | null;
}

/** Locks token and session, so that of two concurrent uses the second sees that the token is used. */
export async function selectRefreshTokenForUpdate(tx: Tx, hash: Buffer): Promise<RefreshRow | undefined> {
  return tx
    .selectFrom('refresh_token')
    .innerJoin('auth_session', 'auth_session.id', 'refresh_token.session_id')
    .select(['session_id', 'user_id', 'used_at', 'expires_at', 'revoked_at'])
    .where('hash', '=', hash)
    .forUpdate()
    .executeTakeFirst();
}

export async function markRefreshTokenUsed(tx: Tx, hash: Buffer, at: Date): Promise<void> {
  await tx.updateTable('refresh_token').set({ used_at: at }).where('hash', '=', hash).execute();
}

export async function revokeSession(tx: Tx, id: string, because: string, at: Date): Promise<void> {
  await tx
    .updateTable('auth_session')
    .set({ revoked_at: at, revoked_because: because })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .execute();
}

export async function isSessionOpen(tx: Tx, id: string): Promise<boolean> {
  const open = await tx.selectFrom('auth_session').select('id').where('id', '=', id).where('revoked_at', 'is', null).executeTakeFirst();
  return open !== undefined;
}

/** Revokes all sessions of a user except `exceptId`, the session of the caller. */
export async function revokeSessions(tx: Tx, userId: number, exceptId: string | null, because: string, at: Date): Promise<void> {
  let sessions = tx
    .updateTable('auth_session')
    .set({ revoked_at: at, revoked_because: because })
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null);
  if (exceptId !== null) sessions = sessions.where('id', '<>', exceptId);
  await sessions.execute();
}

export const expiredSessions = (at: Date): OldRows => ({ table: 'auth_session', where: sql`expires_at < ${at}`, age: 'expires_at' });

export const tokensOfExpiredSessions = (at: Date): OldRows => ({
  table: 'refresh_token',
  where: sql`session_id in (select id from auth_session where expires_at < ${at})`,
  age: null,
});
export async function revokeAllSessions(tx: Tx, because: string, at: Date): Promise<number> {
  const revoked = await tx
    .updateTable('auth_session')
    .set({ revoked_at: at, revoked_because: because })
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return Number(revoked.numUpdatedRows);
}
