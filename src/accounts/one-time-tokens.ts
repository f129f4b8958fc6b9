import { createHash, randomBytes } from 'node:crypto';
import type { Tx } from '../postgres/database.ts';
import {
  insertOneTimeToken,
  type OneTimeTokenRow,
  type Purpose,
  selectOneTimeTokenForUpdate,
  selectOwnerOfToken,
} from './one-time-tokens.sql.ts';
import type { UserRow } from './users.sql.ts';

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

/** A valid token with its user. Both are locked. */
export interface FoundToken {
  row: OneTimeTokenRow;
  user: UserRow;
}

/**
 * Finds a valid token of a user who is not disabled. `lockUser` locks the user before the token. A change of the password takes the locks in the
 * same order, so it either waits, or it has deleted the token. The caller deletes the token after it was used. A wrong second factor does not use
 * it.
 */
export async function findOneTimeToken(
  tx: Tx,
  { token, purpose, at }: { token: string; purpose: Purpose; at: Date },
  lockUser: (tx: Tx, id: number) => Promise<UserRow | undefined>,
): Promise<FoundToken | null> {
  const hash = hashOf(token);
  const owner = await selectOwnerOfToken(tx, hash);
  const user = owner === undefined ? undefined : await lockUser(tx, owner);
  const row = user && (await selectOneTimeTokenForUpdate(tx, hash, purpose, at));
  return row && user.disabled_at === null ? { row, user } : null;
}
