import { createHash, randomBytes } from 'node:crypto';
import type { Tx } from '../postgres/database.ts';
import { insertOneTimeToken, type OneTimeTokenRow, type Purpose, selectOneTimeTokenForUpdate } from './one-time-tokens.sql.ts';

const minuteMs = 60_000;
const validMs: Record<Purpose, number> = {
  second_factor: 5 * minuteMs,
  webauthn_registration: 5 * minuteMs,
  invitation: 7 * 24 * 60 * minuteMs,
  password_reset: 60 * minuteMs,
};

/** How long a started log-in waits for the second factor. */
export const secondFactorSeconds = validMs.second_factor / 1000;

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();

/** Returns the token. Only its hash is stored. */
export async function createOneTimeToken(
  tx: Tx,
  { userId, purpose, challenge = null }: { userId: number; purpose: Purpose; challenge?: string | null },
  at: Date,
): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  const expires_at = new Date(at.getTime() + validMs[purpose]);
  await insertOneTimeToken(tx, { hash: hashOf(token), user_id: userId, purpose, challenge, created_at: at, expires_at });
  return token;
}

/** The caller deletes the token after it was used. A wrong second factor does not use it. */
export const findOneTimeToken = (tx: Tx, token: string, purpose: Purpose, at: Date): Promise<OneTimeTokenRow | undefined> =>
  selectOneTimeTokenForUpdate(tx, hashOf(token), purpose, at);
