import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely';
import pg from 'pg';
import { startListening } from './listen.ts';
import { withPipelining } from './pipelined-connection.ts';
import type { Schema } from './schema.ts';
import type { Secrets } from './secrets.ts';

/** Code that has a database handle can also decrypt the secrets that are stored in the database. */
interface WithSecrets {
  readonly secrets: Secrets;
}

export type Database = Kysely<Schema> & WithSecrets;

/** The transaction of the current request or job. A use-case receives the transaction as an argument. Only `src/http` and jobs open transactions. */
export type Tx = Transaction<Schema> & WithSecrets;

const oldestServer = 15;

/** PostgreSQL returns sums and counts as bigint. JavaScript would round a number above 2^53, so such a number is an error. */
function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} exceeds the safe integers`);
  return value;
}

/** Object ids of built-in types. They are the same in every PostgreSQL database. */
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
  /** Listens to NOTIFY on a channel. Calls `onMessage(null)` after each (re)connect, because messages may have been missed. */
  listen(channel: string, onMessage: (payload: string | null) => void): void;
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
    // A request that runs into one of these timeouts gets 503, and the client may retry the request.
    statement_timeout: 30_000,
    lock_timeout: 10_000,
    idle_in_transaction_session_timeout: 60_000,
  });
  let closing = false;
  // While closing, connection errors are expected: the server may stop before the connections are closed.
  const report = (error: Error) => {
    if (!closing) onError(error);
  };
  pool.on('error', report);
  // The connection of a checked-out client may break too. Without a listener the error would end the process.
  pool.on('connect', (client) => client.on('error', report));
  const db = Object.assign(new Kysely<Schema>({ dialect: new PostgresDialect({ pool: withPipelining(pool) }) }), { secrets });
  const stopListeners: (() => Promise<void>)[] = [];
  const close = async () => {
    closing = true;
    await Promise.all(stopListeners.map((stop) => stop()));
    await db.destroy();
    // Kysely does not end a pool that it has never used.
    if (!pool.ending) await pool.end();
  };
  return { db, pool, listen: (channel, onMessage) => stopListeners.push(startListening(url, channel, onMessage)), close };
}

export interface ServerFacts {
  version: number;
  /** Settings that are off and could lose a commit that was acknowledged. */
  unsafeSettings: string[];
}

export async function inspectServer(pool: pg.Pool): Promise<ServerFacts> {
  const { rows } = await pool.query<{ name: string; setting: string }>(
    `select name, setting from pg_settings where name in ('server_version_num', 'fsync', 'synchronous_commit')`,
  );
  const setting = new Map(rows.map((row) => [row.name, row.setting]));
  const version = Math.floor(Number(setting.get('server_version_num')) / 10_000);
  if (version < oldestServer) throw new Error(`PostgreSQL ${version} is too old. Tessera needs version ${oldestServer} or newer.`);
  return { version, unsafeSettings: ['fsync', 'synchronous_commit'].filter((name) => setting.get(name) === 'off') };
}

/** Whether the tables may be distributed over several nodes. */
export async function hasCitus(db: Database): Promise<boolean> {
  const { rows } = await sql`select 1 from pg_extension where extname = 'citus'`.execute(db);
  return rows.length > 0;
}
