import { CompiledQuery, type PostgresPool, type PostgresPoolClient, type QueryResult } from 'kysely';
import type pg from 'pg';
import type { Database, Tx } from './database.ts';

/** By its types `pipeline` is for good; in fact it is looked at with every query, and may change while none is under way. */
type Client = pg.PoolClient & { pipeline: boolean };

/** Something that is done on the connection itself, given to it as a parameter: Kysely keeps its connection but hands on parameters as they are. */
class Errand {
  readonly run: (wire: Wire) => Promise<unknown[]>;
  constructor(run: (wire: Wire) => Promise<unknown[]>) {
    this.run = run;
  }
}

export async function onWire<R>(tx: Database | Tx, run: (wire: Wire) => Promise<R[]>): Promise<R[]> {
  return (await tx.executeQuery<R>(CompiledQuery.raw('', [new Errand(run)]))).rows;
}

type Said = Pick<CompiledQuery, 'sql' | 'parameters'> & { name?: string };

/** One connection, on which a query may follow another at once: each journey to the database and back is time that others wait. */
export class Wire {
  readonly #client: Client;
  #unanswered: Promise<unknown>[] = [];

  constructor(client: pg.PoolClient) {
    this.#client = client;
    // Queries are sent without waiting for the answers of those before them.
    this.#client.pipeline = true;
  }

  /** Sent now; what became of it is told with the answer to the next query. With a name it is planned once and not each time. */
  send({ sql, parameters, name }: Said): void {
    const sent = this.#client.query({ text: sql, values: [...parameters], ...(name !== undefined && { name }) });
    sent.catch(() => undefined);
    this.#unanswered.push(sent);
  }

  async query<R>(query: Said): Promise<pg.QueryResult<R & pg.QueryResultRow>> {
    this.send(query);
    const settled = await Promise.allSettled(this.#unanswered.splice(0));
    // Of those that failed the first is to blame: the others fail because it did.
    const failed = settled.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined;
    if (failed) throw failed.reason;
    return (settled.at(-1) as PromiseFulfilledResult<pg.QueryResult<R & pg.QueryResultRow>>).value;
  }

  /** For what has the connection to itself while it lasts, as a COPY does. */
  async alone<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    await this.query({ sql: 'select', parameters: [] });
    this.#client.pipeline = false;
    try {
      return await work(this.#client);
    } catch (error) {
      // What failed may still be under way on the other side: nothing is sent behind it before it is over.
      await this.#client.query('select').catch(() => undefined);
      throw error;
    } finally {
      this.#client.pipeline = true;
    }
  }
}

/** The pool as Kysely sees it. */
export function overWires(pool: pg.Pool): PostgresPool {
  const known = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  return {
    async connect() {
      const client = await pool.connect();
      const wired = known.get(client) ?? wire(client);
      known.set(client, wired);
      return wired;
    },
    end: () => pool.end(),
  };
}

function wire(client: pg.PoolClient): PostgresPoolClient {
  const line = new Wire(client);
  async function query(sql: string, parameters: readonly unknown[]): Promise<Partial<QueryResult<unknown>> & { command: string }> {
    const [errand] = parameters;
    if (errand instanceof Errand) return { command: 'SELECT', rows: await errand.run(line) };
    // Nobody needs to know that a transaction has begun before they say what it is for.
    if (!sql.startsWith('start transaction')) return line.query({ sql, parameters });
    line.send({ sql, parameters });
    return { command: 'BEGIN', rows: [] };
  }
  return { query: query as PostgresPoolClient['query'], release: () => client.release() };
}
