import type pg from 'pg';

/** A pooler may give the session of the first connection to any other connection, so several try to get it. */
const maxRivals = 3;
const queryTimeoutMs = 5_000;

/**
 * Whether a proxy pools transactions, so that the transactions of one connection run in different sessions of the server. The first
 * connection asks for its session. Others begin transactions, and the first asks again. If every connection has its own session, no other
 * connection gets the session of the first.
 */
export async function poolsTransactions(pool: pg.Pool): Promise<boolean> {
  const first = await pool.connect();
  const rivals: pg.PoolClient[] = [];
  try {
    const own = await sessionOf(first);
    // Without a pooler, the server itself has sent the id of the session when the connection began. Then one rival is enough.
    const count = own === (first as { processID?: number }).processID ? 1 : maxRivals;
    while (rivals.length < count) {
      const rival = await pool.connect();
      rivals.push(rival);
      await rival.query('begin');
      if ((await sessionOf(rival)) === own || (await sessionOf(first)) !== own) return true;
    }
    return false;
  } finally {
    // The sessions may have been mixed up, so the connections are not used again.
    for (const client of [first, ...rivals]) client.release(true);
  }
}

async function sessionOf(client: pg.PoolClient): Promise<number | undefined> {
  const query = { text: 'select pg_backend_pid() as id', query_timeout: queryTimeoutMs };
  return (await client.query<{ id: number }>(query)).rows[0]?.id;
}
