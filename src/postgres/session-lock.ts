import { sql } from 'kysely';
import type { Database } from './database.ts';

/**
 * Runs the work in a session that holds an advisory lock. Returns null if another session holds the lock. If this process dies, its session
 * ends and the server releases the lock. If the whole machine disappears, TCP keepalive ends the session after about 15 seconds.
 */
export async function withSessionLock<T>(
  db: Database,
  space: number,
  id: number,
  work: (session: Database) => Promise<T>,
): Promise<{ done: T } | null> {
  return db.connection().execute(async (session) => {
    const { rows } = await sql<{ held: boolean }>`select pg_try_advisory_lock(${space}, ${id}::bigint::bit(32)::int) as held`.execute(
      session,
    );
    if (rows[0]?.held !== true) return null;
    try {
      await sql`select set_config('tcp_keepalives_idle', '5', false), set_config('tcp_keepalives_interval', '3', false),
                       set_config('tcp_keepalives_count', '3', false)`.execute(session);
      return { done: await work(Object.assign(session, { secrets: db.secrets })) };
    } finally {
      // If this statement fails, the session has ended, and the end of the session has released the lock.
      await sql`select pg_advisory_unlock(${space}, ${id}::bigint::bit(32)::int)`.execute(session).catch(() => undefined);
    }
  });
}
