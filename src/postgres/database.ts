import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely';
import pg from 'pg';
import { type DatabaseUrl, parseDatabaseUrl } from '../kernel/database-url.ts';
import type { Tracing } from '../kernel/tracing.ts';
import { type Listener, startListening } from './listen.ts';
import { withPipelining } from './pipelined-connection.ts';
import type { Schema } from './schema.ts';
import type { Secrets } from './secrets.ts';
import { ServerPool } from './server-pool.ts';

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

export interface ConnectOptions {
  /** One or more hosts. */
  url: string;
  /** The URL of the replicas. Without it, everything is read from the primary. */
  readUrl?: string | null;
  /** The size of the pool for requests. */
  max?: number;
  /** Whether the server of `url` may be a standby. Then nothing can be written. */
  standby?: boolean;
  /** Only tests choose another timeout. */
  queryTimeoutMs?: number;
  tracing?: Tracing | undefined;
  secrets: Secrets;
  onError: (error: Error) => void;
}

export interface Connections {
  db: Database;
  pool: ServerPool;
  /** For work that holds a connection long: mail, exports and uploads. It has its own connections, so that it never delays sales. */
  longDb: Database;
  /** For reads that may be some seconds old: reports, search and exports. A replica, or else the primary. */
  readDb: Database;
  /**
   * Listens to NOTIFY on a channel. Calls `onMessage(null)` after each (re)connect, because messages may have been missed. A channel
   * has one connection, however many callers listen to it.
   */
  listen(channel: string, onMessage: (payload: string | null) => void): void;
  /** The state of the connections, for the metrics. */
  state(): ConnectionState;
  close(): Promise<void>;
}

interface ConnectionState {
  pools: readonly { name: 'requests' | 'long' | 'replica'; open: number; used: number; waiting: number; max: number }[];
  /** Whether the listener of each channel is connected. */
  listeners: readonly { channel: string; connected: boolean }[];
}

/** Four mails, two exports and three uploads at the same time, one for the lock of webhooks and one for their deliveries, and one for polling. */
const maxLong = 12;
const maxReplica = 10;

export function connect(options: ConnectOptions): Connections {
  const { url, readUrl = null, max = 20, standby = false, queryTimeoutMs, tracing, secrets, onError } = options;
  const primary = parsed(url);
  const newPool = (server: DatabaseUrl, size: number, isStandby: boolean) =>
    new ServerPool({ url: server, max: size, standby: isStandby, types, queryTimeoutMs, tracing, onError });
  const pools = {
    requests: newPool(primary, max, standby),
    long: newPool(primary, maxLong, standby),
    ...(readUrl !== null && { replica: newPool(parsed(readUrl), maxReplica, true) }),
  };
  const open = (pool: ServerPool): Database =>
    Object.assign(new Kysely<Schema>({ dialect: new PostgresDialect({ pool: withPipelining(pool) }) }), { secrets });
  const db = open(pools.requests);
  const longDb = open(pools.long);
  const readDb = pools.replica ? open(pools.replica) : db;
  const listeners = new Map<string, Listener>();
  const handlersOf = new Map<string, ((payload: string | null) => void)[]>();
  return {
    db,
    longDb,
    readDb,
    pool: pools.requests,
    listen(channel, onMessage) {
      const handlers = handlersOf.get(channel) ?? [];
      handlers.push(onMessage);
      if (handlersOf.has(channel)) return onMessage(null);
      handlersOf.set(channel, handlers);
      const tellAll = (payload: string | null) => handlers.forEach((handler) => handler(payload));
      listeners.set(channel, startListening(primary, channel, tellAll));
    },
    state: () => ({
      pools: Object.entries(pools).map(([name, pool]) => stateOf(name as keyof typeof pools, pool)),
      listeners: [...listeners].map(([channel, { isConnected }]) => ({ channel, connected: isConnected() })),
    }),
    async close() {
      await Promise.all([...listeners.values()].map(({ stop }) => stop()));
      await Promise.all(Object.values(pools).map((pool) => pool.close()));
    },
  };
}

function parsed(url: string): DatabaseUrl {
  const found = parseDatabaseUrl(url);
  if (!found) throw new Error('The database URL is not valid');
  return found;
}

const stateOf = (name: ConnectionState['pools'][number]['name'], pool: ServerPool): ConnectionState['pools'][number] => ({
  name,
  open: pool.totalCount,
  used: pool.totalCount - pool.idleCount,
  waiting: pool.waitingCount,
  max: pool.options.max ?? 0,
});

export interface ServerFacts {
  version: number;
  /** Settings that are off and could lose a commit that was acknowledged. */
  unsafeSettings: string[];
}

export async function inspectServer(pool: pg.Pool): Promise<ServerFacts> {
  const text = `select name, setting from pg_settings where name in ('server_version_num', 'fsync', 'synchronous_commit')`;
  const { rows } = await pool.query<{ name: string; setting: string }>({ text, query_timeout: 10_000 } as pg.QueryConfig);
  const setting = new Map(rows.map((row) => [row.name, row.setting]));
  const version = Math.floor(Number(setting.get('server_version_num')) / 10_000);
  if (version < oldestServer) throw new Error(`PostgreSQL ${version} is too old. Tessera needs version ${oldestServer} or newer.`);
  return { version, unsafeSettings: ['fsync', 'synchronous_commit'].filter((name) => setting.get(name) === 'off') };
}

export async function isStandby(db: Database | Tx): Promise<boolean> {
  const { rows } = await sql<{ standby: boolean }>`select pg_is_in_recovery() as standby`.execute(db);
  return rows[0]?.standby !== false;
}

/** Whether the tables may be distributed over several nodes. */
export async function hasCitus(db: Database): Promise<boolean> {
  const { rows } = await sql`select 1 from pg_extension where extname = 'citus'`.execute(db);
  return rows.length > 0;
}
