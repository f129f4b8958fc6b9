import { type Selectable, sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';
import type { OldRows } from '../postgres/delete-old-rows.ts';
import type { Schema } from '../postgres/schema.ts';

export type SessionRow = Pick<Selectable<Schema['auth_session']>, 'id' | 'device' | 'created_at' | 'last_used_at' | 'expires_at'>;

export interface NewSession {
  id: string;
  userId: number;
  device: string | null;
  at: Date;
  expiresAt: Date;
}

export async function insertSession(tx: Tx, { id, userId, device, at, expiresAt }: NewSession): Promise<void> {
  await tx
    .insertInto('auth_session')
    .values({
      id,
      user_id: userId,
      device,
      created_at: at,
      last_used_at: at,
      expires_at: expiresAt,
      revoked_at: null,
      revoked_because: null,
    })
    .execute();
}

export async function updateLastUsed(tx: Tx, id: string, at: Date): Promise<void> {
  await tx.updateTable('auth_session').set({ last_used_at: at }).where('id', '=', id).execute();
}

const openSessionsOf = (tx: Tx, userId: number, at: Date) =>
  tx.selectFrom('auth_session').where('user_id', '=', userId).where('revoked_at', 'is', null).where('expires_at', '>', at);

/** The newest sessions come first. `after` is the creation time and id of the last session of the previous page. */
export async function selectOpenSessions(
  tx: Tx,
  userId: number,
  { after, limit, at }: { after: readonly [number, string] | null; limit: number; at: Date },
): Promise<SessionRow[]> {
  let sessions = openSessionsOf(tx, userId, at).select(['id', 'device', 'created_at', 'last_used_at', 'expires_at']);
  if (after) sessions = sessions.where(sql<boolean>`(created_at, id::text) < (${new Date(after[0])}, ${after[1]})`);
  return sessions.orderBy('created_at', 'desc').orderBy(sql`id::text`, 'desc').limit(limit).execute();
}

export async function countOpenSessions(tx: Tx, userId: number, at: Date): Promise<number> {
  const { n } = await openSessionsOf(tx, userId, at)
    .select((e) => e.fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow();
  return n;
}

/** Revokes a session only if it belongs to the user. Returns whether it was open. */
export async function revokeSessionOf(tx: Tx, userId: number, id: string, because: string, at: Date): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('auth_session')
    .set({ revoked_at: at, revoked_because: because })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', at)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
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

/** Returns whether the session was open. */
export async function revokeSession(tx: Tx, id: string, because: string, at: Date): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('auth_session')
    .set({ revoked_at: at, revoked_because: because })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function isSessionOpen(tx: Tx, id: string): Promise<boolean> {
  const open = await tx.selectFrom('auth_session').select('id').where('id', '=', id).where('revoked_at', 'is', null).executeTakeFirst();
  return open !== undefined;
}

/** Revokes all sessions of a user except `exceptId`, the session of the caller. Returns how many it revoked. */
export async function revokeSessions(tx: Tx, userId: number, exceptId: string | null, because: string, at: Date): Promise<number> {
  let sessions = tx
    .updateTable('auth_session')
    .set({ revoked_at: at, revoked_because: because })
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null);
  if (exceptId !== null) sessions = sessions.where('id', '<>', exceptId);
  return Number((await sessions.executeTakeFirst()).numUpdatedRows);
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
