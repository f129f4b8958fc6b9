import type { Act, User } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { hashPassword, passwordMatches } from './passwords.ts';
import { revokeSessions } from './sessions.sql.ts';
import { selectUserForUpdate, updateUserRow } from './users.sql.ts';

export async function changePassword(tx: Tx, act: Act<User>, body: { currentPassword: string; newPassword: string }): Promise<void> {
  const { id, sessionId } = act.actor;
  const user = await selectUserForUpdate(tx, id);
  if (!user || !(await passwordMatches(body.currentPassword, user.password_hash))) {
    throw new Problem('invalid_credentials', 'The current password is wrong');
  }
  await updateUserRow(tx, id, { password_hash: await hashPassword(body.newPassword), updated_at: act.at });
  await revokeSessions(tx, id, sessionId, 'password changed', act.at);
  await record(tx, act, { subject: 'user', id, after: { password: 'changed' } });
}
