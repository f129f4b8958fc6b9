import type { Act, Anonymous, User } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { normalizeEmail } from './invitation.ts';
import { countGuess, guessWasWrong, recordCorrectPassword } from './login-guesses.ts';
import { passwordMatches } from './passwords.ts';
import { confirmedFactors, requireSecondFactor } from './second-factor.ts';
import { type IssuedLogin, openSession } from './session.ts';
import { selectUserByEmailForLogin } from './users.sql.ts';

/**
 * The problem is returned, not thrown, so that the transaction commits and the wrong password is counted. If the account has a second factor,
 * the attempt stays counted until the factor was correct too.
 */
export async function login(
  tx: Tx,
  act: Act<Anonymous | User>,
  siteUrl: string,
  body: { email: string; password: string },
): Promise<IssuedLogin | Problem> {
  const email = normalizeEmail(body.email);
  const guess = await countGuess(tx, email, act.address, act.at);
  const user = await selectUserByEmailForLogin(tx, email);
  const matched = await passwordMatches(body.password, user?.password_hash ?? null);
  if (!user || !matched || user.disabled_at) {
    await guessWasWrong(tx, guess, act.at);
    return new Problem('invalid_credentials');
  }
  const factors = await confirmedFactors(tx, user.id);
  if (factors.length > 0) return requireSecondFactor(tx, user, factors, { siteUrl, at: act.at });
  await recordCorrectPassword(tx, guess, act.at);
  const { sessionId, login: tokens } = await openSession(tx, user, act.at, act.userAgent);
  await record(tx, act, { subject: 'login_session', id: sessionId, after: { userId: user.id } });
  return tokens;
}
