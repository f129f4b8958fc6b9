import type { Act } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { deleteOneTimeTokensOf } from './one-time-tokens.sql.ts';
import { findOneTimeToken } from './one-time-tokens.ts';
import { hashPassword } from './passwords.ts';
import { revokeAccess } from './revoke-access.ts';
import { type IssuedLogin, openSession } from './session.ts';
import { selectUserForUpdate, type UserRow, updateUserRow } from './users.sql.ts';

const invalidLink = (): Problem => new Problem('invalid_one_time_token', 'The link is invalid, expired or was used. Ask for a new one.');

async function userOfLink(tx: Tx, token: string, purpose: 'invitation' | 'password_reset', at: Date): Promise<UserRow> {
  const found = await findOneTimeToken(tx, { token, purpose, at }, selectUserForUpdate);
  if (!found) throw invalidLink();
  return found.user;
}

/** Whoever opens the link of the mail owns the address, so they choose the password and are logged in. */
export async function acceptInvitation(
  tx: Tx,
  act: Act,
  { token, password, name }: { token: string; password: string; name?: string },
): Promise<IssuedLogin> {
  const user = await userOfLink(tx, token, 'invitation', act.at);
  if (user.password_hash !== null) throw new Problem('wrong_state', 'This account already has a password. Log in with it.');
  const changed = { password_hash: await hashPassword(password), name: name ?? user.name, updated_at: act.at };
  const accepted = await updateUserRow(tx, user.id, changed);
  await deleteOneTimeTokensOf(tx, user.id);
  const { login } = await openSession(tx, accepted, act.at, act.userAgent);
  await record(tx, act, { subject: 'user', id: user.id, after: { invitation: 'accepted', password: 'changed' } });
  return login;
}

/** The user logs in afterwards, because an account may have a second factor. */
export async function resetPassword(tx: Tx, act: Act, { token, newPassword }: { token: string; newPassword: string }): Promise<void> {
  const { id } = await userOfLink(tx, token, 'password_reset', act.at);
  await updateUserRow(tx, id, { password_hash: await hashPassword(newPassword), updated_at: act.at });
  const after = await revokeAccess(tx, id, { exceptSession: null, keepTokens: false, because: 'password reset' }, act.at);
  await record(tx, act, { subject: 'user', id, after: { ...after, by: 'a link in a mail' } });
}
