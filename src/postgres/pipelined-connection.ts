import { CompiledQuery, type PostgresPool, type PostgresPoolClient, type QueryResult } from 'kysely';
import type pg from 'pg';
import type { Database, Tx } from './database.ts';

/** pg's types declare `pipeline` as read-only. But pg reads `pipeline` at every query, so the value can be changed while no query is running. */
type Client = pg.PoolClient & { pipeline: boolean };

/**
 * Work that needs the connection itself. Kysely hides its connection but passes query parameters through unchanged, so the work is passed
 * as a parameter.
 */
class ConnectionTask {
  readonly run: (connection: PipelinedConnection) => Promise<unknown[]>;
  constructor(run: (connection: PipelinedConnection) => Promise<unknown[]>) {
    this.run = run;
  }
}

export async function onConnection<R>(tx: Database | Tx, run: (connection: PipelinedConnection) => Promise<R[]>): Promise<R[]> {
  return (await tx.executeQuery<R>(CompiledQuery.raw('', [new ConnectionTask(run)]))).rows;
}

type Query = Pick<CompiledQuery, 'sql' | 'parameters'> & { name?: string };

/** A connection that sends queries without waiting for the results of earlier queries. This saves round trips while locks are held. */
export class PipelinedConnection {
  readonly #client: Client;
  #pending: Promise<unknown>[] = [];

  constructor(client: pg.PoolClient) {
    this.#client = client;
    this.#client.pipeline = true;
  }

  /** Sends the query now. If it fails, the next `query` throws its error. A query with a name is prepared: planned once per connection. */
  send({ sql, parameters, name }: Query): void {
    const sent = this.#client.query({ text: sql, values: [...parameters], ...(name !== undefined && { name }) });
    sent.catch(() => undefined);
    this.#pending.push(sent);
  }

  async query<R>(query: Query): Promise<pg.QueryResult<R & pg.QueryResultRow>> {
    this.send(query);
    const settled = await Promise.allSettled(this.#pending.splice(0));
    // The first failure is the cause. Later queries fail only because the transaction is aborted.
    const failed = settled.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined;
    if (failed) throw failed.reason;
    return (settled.at(-1) as PromiseFulfilledResult<pg.QueryResult<R & pg.QueryResultRow>>).value;
  }

  /** Runs work that must not be pipelined with other queries, such as COPY. */
  async alone<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    await this.query({ sql: 'select', parameters: [] });
    this.#client.pipeline = false;
    try {
      return await work(this.#client);
    } catch (error) {
      // The failed statement may still be running on the server. Wait until it has ended before anything else is sent.
      await this.#client.query('select').catch(() => undefined);
      throw error;
    } finally {
      this.#client.pipeline = true;
    }
  }
}

/** Wraps a pool for Kysely, so that its connections pipeline their queries. */
export function withPipelining(pool: pg.Pool): PostgresPool {
  const known = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  return {
    async connect() {
      const client = await pool.connect();
      const pipelined = known.get(client) ?? toKyselyClient(client);
      known.set(client, pipelined);
      return pipelined;
    },
    end: () => pool.end(),
  };
}

function toKyselyClient(client: pg.PoolClient): PostgresPoolClient {
  const connection = new PipelinedConnection(client);
  async function query(sql: string, parameters: readonly unknown[]): Promise<Partial<QueryResult<unknown>> & { command: string }> {
    const [task] = parameters;
    if (task instanceof ConnectionTask) return { command: 'SELECT', rows: await task.run(connection) };
    // BEGIN is sent without waiting. It shares a round trip with the first query of the transaction.
    if (!sql.startsWith('start transaction')) return connection.query({ sql, parameters });
    connection.send({ sql, parameters });
    return { command: 'BEGIN', rows: [] };
  }
  return { query: query as PostgresPoolClient['query'], release: () => client.release() };
}
