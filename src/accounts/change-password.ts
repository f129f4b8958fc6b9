import type { Act, User } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { countGuessInSession, forgetGuessesInSession } from './login-guesses.ts';
import { hashPassword, passwordMatches } from './passwords.ts';
import { revokeAccess } from './revoke-access.ts';
import { selectUserForUpdate, updateUserRow } from './users.sql.ts';

/** Wrong current passwords are counted and delayed as at log-in, so that a stolen session cannot be used to guess the password. */
export async function changePassword(
  tx: Tx,
  act: Act<User>,
  body: { currentPassword: string; newPassword: string; keepTokens?: boolean },
): Promise<void | Problem> {
  const { id, sessionId } = act.actor;
  if (sessionId === null) throw new Error('Only a session can change the password');
  await countGuessInSession(tx, sessionId, act.at);
  const user = await selectUserForUpdate(tx, id);
  if (!user || !(await passwordMatches(body.currentPassword, user.password_hash))) {
    return new Problem('invalid_credentials', 'The current password is wrong');
  }
  await forgetGuessesInSession(tx, sessionId);
  await updateUserRow(tx, id, { password_hash: await hashPassword(body.newPassword), updated_at: act.at });
  const { keepTokens = false } = body;
  const after = await revokeAccess(tx, id, { exceptSession: sessionId, keepTokens, because: 'password changed' }, act.at);
  await record(tx, act, { subject: 'user', id, after });
}
