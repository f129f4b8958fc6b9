import type { Act, User } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { endAccess } from './end-access.ts';
import { countGuess, forgetGuesses } from './login-guesses.ts';
import { hashPassword, passwordMatches } from './passwords.ts';
import { selectUserForUpdate, updateUserRow } from './users.sql.ts';

/** Who found an open session must not find out the password with it: guesses are counted as at the log-in. */
export async function changePassword(
  tx: Tx,
  act: Act<User>,
  body: { currentPassword: string; newPassword: string; keepTokens?: boolean },
): Promise<void | Problem> {
  const { id, sessionId } = act.actor;
  // Apart from the log-in's own count: a stranger with the session must not lock its owner out.
  const account = `signed in:${id}`;
  await countGuess(tx, account, act.at);
  const user = await selectUserForUpdate(tx, id);
  if (!user || !(await passwordMatches(body.currentPassword, user.password_hash))) {
    return new Problem('invalid_credentials', 'The current password is wrong');
  }
  await forgetGuesses(tx, account);
  await updateUserRow(tx, id, { password_hash: await hashPassword(body.newPassword), updated_at: act.at });
  const { keepTokens = false } = body;
  const after = await endAccess(tx, id, { exceptSession: sessionId, keepTokens, because: 'password changed' }, act.at);
  await record(tx, act, { subject: 'user', id, after });
}
