import { CompiledQuery, type PostgresPool, type PostgresPoolClient, type QueryResult } from 'kysely';
import pg from 'pg';
import type { Database, Tx } from './database.ts';
import { destroy, type ServerPool } from './server-pool.ts';
import { isFromStandby, isQueryTimeout } from './unavailable.ts';

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

/** Cuts the connection if the server makes no progress for too long. It counts only the time in which the server is waited for. */
export class Watchdog {
  readonly #timeoutMs: number;
  readonly #cut: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(timeoutMs: number, cut: () => void) {
    this.#timeoutMs = timeoutMs;
    this.#cut = cut;
  }

  watch(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#cut, this.#timeoutMs);
  }

  rest(): void {
    clearTimeout(this.#timer);
  }
}

type Query = Pick<CompiledQuery, 'sql' | 'parameters'> & { name?: string };

/** A connection that sends queries without waiting for the results of earlier queries. This saves round trips while locks are held. */
export class PipelinedConnection {
  readonly #client: Client;
  readonly #pool: ServerPool;
  #pending: Promise<unknown>[] = [];
  #timeoutMs: number;
  #deadline = Number.POSITIVE_INFINITY;
  #faulty = false;
  /** The statement that begins the transaction. It is sent together with the first query. */
  #begin: string | null = null;

  constructor(client: pg.PoolClient, pool: ServerPool) {
    this.#client = client;
    this.#client.pipeline = true;
    this.#pool = pool;
    this.#timeoutMs = pool.queryTimeoutMs;
  }

  begin(sql: string): void {
    this.#begin = sql;
  }

  /**
   * Makes the server show the label as name of the application in its log and in `pg_stat_activity`, until the transaction ends. It is part of
   * the message that begins the transaction, so it costs no round trip and does not change the text of prepared statements.
   */
  setLabel(label: string): void {
    if (this.#begin !== null) this.#begin += `; set local application_name = ${pg.escapeLiteral(`tessera ${label}`)}`;
  }

  /** Limits the time of all queries together, until the connection is released. */
  setDeadline(ms: number): void {
    this.#deadline = performance.now() + ms;
  }

  /** Allows queries to take longer, until the connection is released. */
  setQueryTimeout(ms: number): void {
    this.#timeoutMs = ms;
  }

  release(): void {
    this.#timeoutMs = this.#pool.queryTimeoutMs;
    this.#deadline = Number.POSITIVE_INFINITY;
    this.#begin = null;
    this.#client.release(this.#faulty);
  }

  /** Sends the query now. If it fails, the next `query` throws its error. A query with a name is prepared: planned once per connection. */
  send(query: Query): void {
    const begin = this.#begin;
    this.#begin = null;
    if (begin !== null) this.#send({ sql: begin, parameters: [] });
    this.#send(query);
  }

  #send({ sql, parameters, name }: Query): void {
    // pg cuts the connection when this time is over, so that the queries behind this one fail too.
    const query_timeout = Math.max(1, Math.min(this.#timeoutMs, this.#deadline - performance.now()));
    const config = { text: sql, values: [...parameters], query_timeout, ...(name !== undefined && { name }) };
    const span = this.#pool.tracing?.beginStatement(sql);
    const sent = this.#client.query(config);
    sent.then(
      () => span?.end(),
      (error: unknown) => span?.end(error),
    );
    this.#pending.push(sent);
  }

  async query<R>(query: Query): Promise<pg.QueryResult<R & pg.QueryResultRow>> {
    this.send(query);
    const settled = await Promise.allSettled(this.#pending.splice(0));
    // The first failure is the cause. Later queries fail only because the transaction is aborted.
    const failed = settled.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined;
    if (failed) throw this.#noticeFault(failed.reason);
    return (settled.at(-1) as PromiseFulfilledResult<pg.QueryResult<R & pg.QueryResultRow>>).value;
  }

  #noticeFault(error: unknown): unknown {
    if (isFromStandby(error) || isQueryTimeout(error)) {
      this.#faulty = true;
      this.#pool.replaceConnections();
    }
    return error;
  }

  /** Runs work that must not be pipelined with other queries, such as COPY. pg has no timeout for it, so the work gets a watchdog. */
  async alone<T>(work: (client: pg.PoolClient, watchdog: Watchdog) => Promise<T>): Promise<T> {
    await this.query({ sql: 'select', parameters: [] });
    this.#client.pipeline = false;
    // The text of a COPY contains values.
    const span = this.#pool.tracing?.beginStatement('copy');
    const watchdog = new Watchdog(this.#pool.queryTimeoutMs, () => {
      this.#faulty = true;
      this.#pool.replaceConnections();
      destroy(this.#client);
    });
    try {
      const result = await work(this.#client, watchdog);
      span?.end();
      return result;
    } catch (error) {
      span?.end(error);
      // The failed statement may still be running on the server. Wait until it has ended before anything else is sent.
      const wait = { text: 'select', query_timeout: this.#pool.queryTimeoutMs };
      await this.#client.query(wait).catch(() => undefined);
      throw error;
    } finally {
      watchdog.rest();
      this.#client.pipeline = true;
    }
  }
}

/** Wraps a pool for Kysely, so that its connections pipeline their queries. */
export function withPipelining(pool: ServerPool): PostgresPool {
  const known = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  return {
    async connect() {
      const client = await pool.connect();
      const pipelined = known.get(client) ?? toKyselyClient(client, pool);
      known.set(client, pipelined);
      return pipelined;
    },
    end: () => pool.end(),
  };
}

function toKyselyClient(client: pg.PoolClient, pool: ServerPool): PostgresPoolClient {
  const connection = new PipelinedConnection(client, pool);
  async function query(sql: string, parameters: readonly unknown[]): Promise<Partial<QueryResult<unknown>> & { command: string }> {
    const [task] = parameters;
    if (task instanceof ConnectionTask) return { command: 'SELECT', rows: await task.run(connection) };
    if (!sql.startsWith('start transaction')) return connection.query({ sql, parameters });
    connection.begin(sql);
    return { command: 'BEGIN', rows: [] };
  }
  return { query: query as PostgresPoolClient['query'], release: () => connection.release() };
}
