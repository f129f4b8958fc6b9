import { Kysely, PostgresDialect, type Transaction } from 'kysely';
import pg from 'pg';
import { startListening } from './listen.ts';
import { withPipelining } from './pipelined-connection.ts';
import type { Schema } from './schema.ts';
import type { Secrets } from './secrets.ts';

/** What opens the secrets that are stored in the database goes with the way to it. */
interface WithSecrets {
  readonly secrets: Secrets;
}

export type Database = Kysely<Schema> & WithSecrets;

/** The transaction of the request or job at hand. A use-case takes one; only the edge and the jobs can open one. */
export type Tx = Transaction<Schema> & WithSecrets;

const oldestServer = 15;

/** Sums and counts come as bigint; beyond 2^53 a number would lie. */
function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is beyond the safe integers`);
  return value;
}

/** Object ids of PostgreSQL's own types, the same in every database. */
const int8 = 20;
const int8Array = 1016;

const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format: 'text' | 'binary') => {
    if (oid === int8) return safeInteger;
    if (oid === int8Array) return (text: string) => (JSON.parse(`[${text.slice(1, -1)}]`) as number[]).map((n) => safeInteger(String(n)));
    return pg.types.getTypeParser(oid, format) as unknown;
  }) as typeof pg.types.getTypeParser,
};

export interface PoolOptions {
  url: string;
  max?: number;
  secrets: Secrets;
  onError: (error: Error) => void;
}

export interface Connections {
  db: Database;
  pool: pg.Pool;
  /** Hears what the database tells on a channel; `null` when something may have been missed, because the line was dead. */
  listen(channel: string, hear: (payload: string | null) => void): void;
  close(): Promise<void>;
}

export function connect({ url, max = 20, secrets, onError }: PoolOptions): Connections {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    types,
    application_name: 'tessera',
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    // No wait is for ever: a request that runs into one of these is answered 503 and may be repeated.
    statement_timeout: 30_000,
    lock_timeout: 10_000,
    idle_in_transaction_session_timeout: 60_000,
  });
  let closing = false;
  // Whoever hangs up does not complain that the line is dead: the server may end before our good-bye reaches it.
  const report = (error: Error) => {
    if (!closing) onError(error);
  };
  pool.on('error', report);
  // While a client is checked out its connection may break too; without a listener that would end the process.
  pool.on('connect', (client) => client.on('error', report));
  const db = Object.assign(new Kysely<Schema>({ dialect: new PostgresDialect({ pool: withPipelining(pool) }) }), { secrets });
  const ears: (() => Promise<void>)[] = [];
  const close = async () => {
    closing = true;
    await Promise.all(ears.map((stop) => stop()));
    await db.destroy();
    // Kysely leaves alone a pool that it was never asked to use.
    if (!pool.ending) await pool.end();
  };
  return { db, pool, listen: (channel, hear) => ears.push(startListening(url, channel, hear)), close };
}

export interface ServerFacts {
  version: number;
  /** Settings under which a commit that was acknowledged can be lost. */
  unsafeSettings: string[];
}

export async function inspectServer(pool: pg.Pool): Promise<ServerFacts> {
  const { rows } = await pool.query<{ name: string; setting: string }>(
    `select name, setting from pg_settings where name in ('server_version_num', 'fsync', 'synchronous_commit')`,
  );
  const setting = new Map(rows.map((row) => [row.name, row.setting]));
  const version = Math.floor(Number(setting.get('server_version_num')) / 10_000);
  if (version < oldestServer) throw new Error(`PostgreSQL ${version} is too old: Tessera needs ${oldestServer} or newer`);
  return { version, unsafeSettings: ['fsync', 'synchronous_commit'].filter((name) => setting.get(name) === 'off') };
}
