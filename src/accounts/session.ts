import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Tx } from '../postgres/database.ts';
import { signToken } from './access-tokens.ts';
import type { Login, Me } from './contract.ts';
import { selectRolesOf } from './roles.sql.ts';
import { insertRefreshToken, insertSession } from './sessions.sql.ts';
import { type UserRow, updateLastLogin } from './users.sql.ts';

const accessSeconds = 15 * 60;
const sessionDays = 30;

export const hashRefreshToken = (token: string): Buffer => createHash('sha256').update(token).digest();

export async function openSession(tx: Tx, user: UserRow, at: Date): Promise<{ sessionId: string; login: Login }> {
  const sessionId = randomUUID();
  await insertSession(tx, { id: sessionId, userId: user.id, at, expiresAt: new Date(at.getTime() + sessionDays * 86_400_000) });
  await updateLastLogin(tx, user.id, at);
  return { sessionId, login: await issueTokens(tx, user, sessionId, at) };
}

/** Issues an access token and a refresh token for the session. */
export async function issueTokens(tx: Tx, user: UserRow, sessionId: string, at: Date): Promise<Login> {
  const refreshToken = randomBytes(32).toString('base64url');
  await insertRefreshToken(tx, hashRefreshToken(refreshToken), sessionId, at);
  const { id, email, name } = user;
  const expiresAt = new Date(at.getTime() + accessSeconds * 1000);
  const accessToken = await signToken(tx, { userId: id, email, name, bearer: { kind: 'session', sessionId }, expiresAt }, at);
  return { accessToken, refreshToken, expiresIn: accessSeconds, user: await getMe(tx, user) };
}

export async function getMe(tx: Tx, { id, email, name, admin }: Pick<UserRow, 'id' | 'email' | 'name' | 'admin'>): Promise<Me> {
  return { id, email, name, admin, ...(await selectRolesOf(tx, id)) };
}
