import type { User } from '../kernel/act.ts';
import type { Database, Tx } from '../postgres/database.ts';
import { selectCaller } from './callers.sql.ts';

/** Returns a user with their current roles and without token limits, as if they sent a request now. Null if the account is disabled. */
export async function findCaller(db: Database | Tx, userId: number): Promise<User | null> {
  const row = await selectCaller(db, userId);
  if (!row) return null;
  const { id, email, name, admin } = row;
  return { kind: 'user', id, email, name, admin, producers: new Map(row.producers), crew: new Map(row.crew), sessionId: null, token: null };
}
