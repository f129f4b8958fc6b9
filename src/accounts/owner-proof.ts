import type { Act, User } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import type { Tx } from '../postgres/database.ts';
import { countGuessInSession, forgetGuessesInSession } from './login-guesses.ts';
import { passwordMatches } from './passwords.ts';
import { confirmedFactors, useCode } from './second-factor.ts';
import { isSessionOpen } from './sessions.sql.ts';
import { selectUserForUpdate, type UserRow } from './users.sql.ts';

/** What shows that the owner of the account sends the request, and not somebody who found an open session. */
export interface OwnerProof {
  password?: string;
  /** A code of the authenticator app, or a recovery code. */
  code?: string;
}

export const wrongFactor = new Problem('invalid_second_factor', 'The code is wrong, or was used before. Wait for the next code.');

/** Counts an attempt in the session, with the same delays as at log-in. `proved` resets the count. Locks the user. */
export async function requireSession(tx: Tx, { actor, at }: Act<User>): Promise<{ user: UserRow; proved(): Promise<void> }> {
  const { sessionId } = actor;
  if (sessionId === null) throw new Error('Only a session can change the factors');
  await countGuessInSession(tx, sessionId, at);
  const user = await selectUserForUpdate(tx, actor.id);
  // A password change may have revoked the session after this request was authenticated.
  if (!user || !(await isSessionOpen(tx, sessionId))) throw new Problem('invalid_token', 'The session has ended. Log in again.');
  return { user, proved: () => forgetGuessesInSession(tx, sessionId) };
}

/**
 * Returns a problem if the password or code is wrong. The handler returns it, so that the transaction commits and the attempt is counted.
 * Codes of the factor `except` are not accepted.
 */
export async function checkOwner(tx: Tx, act: Act<User>, { password, code }: OwnerProof, except?: number): Promise<Problem | null> {
  const { user, proved } = await requireSession(tx, act);
  if (password !== undefined) {
    if (!(await passwordMatches(password, user.password_hash))) return new Problem('invalid_credentials', 'The password is wrong');
  } else {
    const factors = (await confirmedFactors(tx, user.id)).filter(({ id }) => id !== except);
    if (!(await useCode(tx, user.id, factors, code ?? '', act.at))) return wrongFactor;
  }
  await proved();
  return null;
}
