import type { Act, User } from '../kernel/act.ts';
import { decodeCursor, rowsToFetch, toPage } from '../kernel/cursor.ts';
import { Problem } from '../kernel/problem.ts';
import type { Page, PageQuery } from '../kernel/schema.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { countOpenSessions, revokeSessionOf, revokeSessions, selectOpenSessions } from './sessions.sql.ts';
import type { LoginSession } from './sign-in-contract.ts';

const because = 'revoked by the user';

export async function listSessions(tx: Tx, { actor, at }: Act<User>, query: PageQuery): Promise<Page<LoginSession>> {
  const after = query.cursor === undefined ? null : decodeCursor(query.cursor, ['time', 'string']);
  const rows = await selectOpenSessions(tx, actor.id, { after, limit: rowsToFetch(query), at });
  const total = query.count ? await countOpenSessions(tx, actor.id, at) : undefined;
  return toPage(
    rows,
    query,
    (row) => [row.created_at.getTime(), row.id],
    (row) => ({
      id: row.id,
      device: row.device,
      createdAt: row.created_at.toISOString(),
      lastUsedAt: row.last_used_at.toISOString(),
      expiresAt: row.expires_at.toISOString(),
      current: row.id === actor.sessionId,
    }),
    total,
  );
}

export async function revokeOwnSession(tx: Tx, act: Act<User>, id: string): Promise<void> {
  if (!(await revokeSessionOf(tx, act.actor.id, id, because, act.at))) throw new Problem('not_found');
  await record(tx, act, { subject: 'login_session', id, after: { revoked: because } });
}

export async function revokeOtherSessions(tx: Tx, act: Act<User>): Promise<{ revoked: number }> {
  const { id, sessionId } = act.actor;
  const revoked = await revokeSessions(tx, id, sessionId, because, act.at);
  await record(tx, act, { subject: 'user', id, after: { revokedSessions: revoked } });
  return { revoked };
}
