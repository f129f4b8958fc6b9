import { setTimeout as sleep } from 'node:timers/promises';
import { callbackify } from 'node:util';
import pg from 'pg';
import type { DatabaseUrl } from '../kernel/database-url.ts';
import type { Tracing } from '../kernel/tracing.ts';
import { isPoolExhausted, isUnavailable, NotPrimary } from './unavailable.ts';

export interface ServerPoolOptions {
  url: DatabaseUrl;
  /** Whether a standby will do. Otherwise the server must be the primary. */
  standby: boolean;
  max: number;
  types?: pg.CustomTypesConfig;
  /** Only tests choose another timeout. */
  queryTimeoutMs?: number | undefined;
  tracing?: Tracing | undefined;
  /** Called when a connection is lost. */
  onError: (error: Error) => void;
}

/** Limits of the server. A request that runs into one of them gets 503, and the client may retry the request. */
const statementTimeoutMs = 30_000;
const sessionSettings = {
  statement_timeout: statementTimeoutMs,
  lock_timeout: 10_000,
  idle_in_transaction_session_timeout: 60_000,
};

/**
 * The settings are made by SQL. As parameters of the connection they would be refused or dropped by PgBouncer. The same statement asks
 * whether the server is a standby, so a new connection costs one round trip.
 */
const beginSession = `select pg_is_in_recovery() as standby, ${Object.entries(sessionSettings)
  .map(([name, ms]) => `set_config('${name}', '${ms}', false)`)
  .join(', ')}`;

const connectTimeoutMs = 5_000;
/** With several hosts a host that does not respond must not use up the time of the others. */
const connectTimeoutPerHostMs = 2_000;
/** The first TCP keepalive probe after this time. Node sends ten probes, one per second, and then closes the connection. */
const keepAliveMs = 5_000;
const closeTimeoutMs = 1_000;

/** pg's types do not declare the socket of a client. */
interface WithSocket {
  connection: { stream: { destroy(): void } };
}

/** Closes the connection without saying goodbye to the server, which may not respond any more. */
export const destroy = (client: pg.ClientBase): void => (client as unknown as WithSocket).connection.stream.destroy();

/** A pool of connections to the primary, or to any server. With several hosts it tries the next host if one is unreachable or a standby. */
export class ServerPool extends pg.Pool {
  readonly #urls: readonly string[];
  readonly #standby: boolean;
  /**
   * How long a query may take until its connection is dropped. It is a little more than the timeout of the server, which responds in time if
   * it responds at all.
   */
  readonly queryTimeoutMs: number;
  readonly tracing: Tracing | undefined;
  #host = 0;
  /** Connections of an older generation are not used any more. */
  #generation = 0;
  readonly #generationOf = new Map<pg.ClientBase, number>();

  constructor({ url, standby, max, types, queryTimeoutMs = statementTimeoutMs + 2_000, tracing, onError }: ServerPoolOptions) {
    super({
      connectionString: url.urls[0],
      max,
      ...(types && { types }),
      application_name: 'tessera',
      connectionTimeoutMillis: url.urls.length > 1 ? connectTimeoutPerHostMs : connectTimeoutMs,
      idleTimeoutMillis: 30_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveMs,
      // pg waits for the promise of this hook, although its type does not say so.
      onConnect: (client) => this.#begin(client) as unknown as undefined,
    });
    this.#urls = url.urls;
    this.#standby = standby;
    this.queryTimeoutMs = queryTimeoutMs;
    this.tracing = tracing;
    // While closing, connection errors are expected: the server may stop before the connections are closed.
    const report = (error: Error) => {
      if (!this.ending) onError(error);
    };
    this.on('error', report);
    // The connection of a checked-out client may break too. Without a listener the error would end the process.
    this.on('connect', (client) => {
      client.on('error', report);
      this.#generationOf.set(client, this.#generation);
    });
    this.on('remove', (client) => this.#generationOf.delete(client));
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(
    callback: (error: Error | undefined, client: pg.PoolClient | undefined, done: (release?: unknown) => void) => void,
  ): void;
  override connect(
    callback?: (error: Error | undefined, client: pg.PoolClient | undefined, done: (release?: unknown) => void) => void,
  ): Promise<pg.PoolClient> | undefined {
    if (!callback) return this.#connect();
    callbackify(() => this.#connect())((error, client) => {
      if (error) callback(error, undefined, () => undefined);
      else callback(undefined, client, (failed) => client.release(failed === true || failed instanceof Error));
    });
    return undefined;
  }

  /**
   * Makes the pool replace all its connections, each when it is next needed. If one connection leads to a standby or does not respond, the
   * others probably have the same fault.
   */
  replaceConnections(): void {
    this.#generation++;
  }

  /** Closes all connections. Connections whose server does not respond are cut after a second. */
  async close(): Promise<void> {
    const known = [...this.#generationOf.keys()];
    const ended = this.ending ? Promise.resolve() : this.end();
    await Promise.race([ended, sleep(closeTimeoutMs, undefined, { ref: false })]);
    for (const client of known) destroy(client);
  }

  async #connect(): Promise<pg.PoolClient> {
    for (let tries = 1; ; tries++) {
      const host = this.#host;
      try {
        const client = await super.connect();
        if ((this.#generationOf.get(client) ?? 0) >= this.#generation) return client;
        client.release(true);
        // This was no failed attempt. The next connection is a newer one, at the latest when the pool has none left.
        tries--;
      } catch (error) {
        if (tries >= this.#urls.length || !isUnavailable(error) || isPoolExhausted(error)) throw error;
        this.#useHostAfter(host);
      }
    }
  }

  #useHostAfter(host: number): void {
    // Another request may have chosen another host meanwhile.
    if (this.#host === host) this.#host = (host + 1) % this.#urls.length;
    this.options.connectionString = this.#urls[this.#host];
  }

  async #begin(client: pg.ClientBase): Promise<void> {
    const query = { text: beginSession, query_timeout: connectTimeoutMs };
    const { rows } = await client.query<{ standby: boolean }>(query);
    if (rows[0]?.standby === true && !this.#standby) throw new NotPrimary();
  }
}
