import type pg from 'pg';

const pollMs = 500;

/** A SQL expression that describes a session, for messages. */
const sessionName = `format('process %s (%s%s)', a.pid, coalesce(nullif(a.application_name, ''), 'unnamed'), ' at ' || host(a.client_addr))`;

/** Describes the session that holds an advisory lock. */
export async function holderOfLock(client: Pick<pg.ClientBase, 'query'>, lock: number): Promise<string> {
  const { rows } = await client.query<{ holder: string }>(
    `select concat(${sessionName}, ', connected since ', a.backend_start::timestamptz(0)) as holder
       from pg_locks l join pg_stat_activity a using (pid)
      where l.locktype = 'advisory' and l.granted and l.classid = 0 and l.objid = $1::bigint and l.objsubid = 1
        and l.database = (select oid from pg_database where datname = current_database())`,
    [lock],
  );
  return rows[0]?.holder ?? 'a process that has just ended';
}

/**
 * Watches a session over another connection. When the session waits for a lock, reports once which lock it waits for and which session
 * holds that lock.
 */
export async function watchBlockers(
  pool: pg.Pool,
  client: pg.ClientBase,
  report: (blockers: string) => void,
): Promise<{ stop: () => void }> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  let stopped = false;
  const timer = setInterval(() => void poll().catch(() => undefined), pollMs);
  const stop = () => {
    stopped = true;
    clearInterval(timer);
  };

  async function poll(): Promise<void> {
    const { rows: found } = await pool.query<{ blockers: string | null }>(
      `select concat('Waiting for a lock on ', coalesce(max(l.relation::regclass::text), 'rows of another transaction'), ' held by ',
                     string_agg(distinct ${sessionName}, ', ')) as blockers
         from pg_stat_activity a left join pg_locks l on l.pid = $1 and not l.granted
        where a.pid = any(pg_blocking_pids($1)) having count(*) > 0`,
      [rows[0]?.pid],
    );
    if (stopped || !found[0]?.blockers) return;
    stop();
    report(found[0].blockers);
  }

  return { stop };
}
