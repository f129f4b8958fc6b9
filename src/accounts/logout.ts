import type { Act, User } from '../kernel/act.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { revokeSession } from './sessions.sql.ts';

export async function logout(tx: Tx, act: Act<User>): Promise<void> {
  const { sessionId } = act.actor;
  if (sessionId === null) throw new Error('Only a session can be logged out');
  await revokeSession(tx, sessionId, 'logged out', act.at);
  await record(tx, act, { subject: 'login_session', id: sessionId, after: { revoked: 'logged out' } });
}
