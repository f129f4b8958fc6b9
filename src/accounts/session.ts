import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Tx } from '../postgres/database.ts';
import { signToken } from './access-tokens.ts';
import { describeDevice } from './device.ts';
import { selectRolesOf } from './roles.sql.ts';
import { insertRefreshToken, insertSession } from './sessions.sql.ts';
import type { Login, Me } from './sign-in-contract.ts';
import { type UserRow, updateLastLogin } from './users.sql.ts';

const accessSeconds = 15 * 60;
export const sessionSeconds = 30 * 86_400;

export const hashRefreshToken = (token: string): Buffer => createHash('sha256').update(token).digest();

/** The tokens of a session. The refresh token is sent in the body of the response, or in a cookie. */
export interface IssuedLogin extends Login {
  refreshToken: string;
}

export interface OpenedSession {
  sessionId: string;
  login: IssuedLogin;
}

export async function openSession(tx: Tx, user: UserRow, at: Date, userAgent: string | null = null): Promise<OpenedSession> {
  const sessionId = randomUUID();
  const expiresAt = new Date(at.getTime() + sessionSeconds * 1000);
  await insertSession(tx, { id: sessionId, userId: user.id, device: describeDevice(userAgent), at, expiresAt });
  await updateLastLogin(tx, user.id, at);
  return { sessionId, login: await issueTokens(tx, user, sessionId, at) };
}

/** Issues an access token and a refresh token for the session. */
export async function issueTokens(tx: Tx, user: UserRow, sessionId: string, at: Date): Promise<IssuedLogin> {
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
