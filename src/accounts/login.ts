import type { Act, Anonymous, User } from '../kernel/act.ts';
import { Problem, retryLater } from '../kernel/problem.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import type { Login } from './contract.ts';
import { countFailure, deleteFailures, type Failures, selectFailures } from './login-failures.sql.ts';
import { passwordMatches } from './passwords.ts';
import { openSession } from './session.ts';
import { normalEmail } from './user.ts';
import { selectUserByEmail } from './users.sql.ts';

const windowMs = 15 * 60_000;
const mostPerAccount = 10;
const mostPerAddress = 100;

/** A wrong password is returned, not thrown: the count of failures must stay. */
export async function login(tx: Tx, act: Act<Anonymous | User>, body: { email: string; password: string }): Promise<Login | Problem> {
  const email = normalEmail(body.email);
  const account = `account:${email}`;
  const address = `address:${act.address}`;
  const windowEnds = new Date(act.at.getTime() + windowMs);

  const byAddress = await selectFailures(tx, address, act.at);
  if (byAddress && byAddress.failures >= mostPerAddress) throw tooMany(byAddress, act.at);
  // Counted before the password is looked at, so that guesses sent at once do not slip through together.
  const byAccount = await countFailure(tx, account, act.at, windowEnds);
  if (byAccount.failures > mostPerAccount) throw tooMany(byAccount, act.at);

  const user = await selectUserByEmail(tx, email);
  const matched = await passwordMatches(body.password, user?.password_hash ?? null);
  if (!user || !matched || user.disabled_at) {
    await countFailure(tx, address, act.at, windowEnds);
    return new Problem('invalid_credentials');
  }
  await deleteFailures(tx, account);
  const opened = await openSession(tx, user, act.at);
  await record(tx, act, { subject: 'session', id: opened.sessionId, after: { userId: user.id } });
  return opened.login;
}

function tooMany({ expires_at }: Failures, at: Date): Problem {
  return retryLater('rate_limited', (expires_at.getTime() - at.getTime()) / 1000, 'Too many failed log-ins; wait and try again');
}
