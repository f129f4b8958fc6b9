import { sql } from 'kysely';
import type { Database } from './database.ts';

/**
 * Does the work while a session of its own holds the lock of this number, or answers null because another session does. The lock is the
 * server's: when this process dies, however it dies, its session ends and the lock with it. A machine that vanishes without a word is
 * noticed by the server within some seconds, where the connection is one of the network.
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
      // If the session is dead, so is the lock.
      await sql`select pg_advisory_unlock(${space}, ${id}::bigint::bit(32)::int)`.execute(session).catch(() => undefined);
    }
  });
}
