import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { DatabaseUrl } from '../kernel/database-url.ts';
import { NotPrimary } from './unavailable.ts';

const retryMs = 250;
/** Closing has a timeout, because a broken connection may never confirm that it is closed. */
const closeTimeoutMs = 1_000;

/** How often the connection is checked. A connection that is cut without a message would stay silent for ever. */
const checkMs = 5_000;
const checkTimeoutMs = 5_000;

export interface Listener {
  isConnected(): boolean;
  stop(): Promise<void>;
}

/**
 * Listens to NOTIFY on a separate connection to the primary, and reconnects when the connection breaks. Calls `onMessage(null)` after each
 * connect, because messages may have been missed before.
 */
export function startListening({ urls }: DatabaseUrl, channel: string, onMessage: (payload: string | null) => void): Listener {
  let stopped = false;
  let connected = false;
  let disconnect = (): void => undefined;

  /** Returns when the connection breaks or `disconnect` is called. */
  async function listenOnce(url: string | undefined): Promise<void> {
    const options = {
      connectionString: url,
      application_name: 'tessera listener',
      keepAlive: true,
      keepAliveInitialDelayMillis: checkMs,
      connectionTimeoutMillis: 5_000,
      query_timeout: checkTimeoutMs,
    };
    const client = new pg.Client(options);
    const disconnected = new Promise<void>((resolve) => {
      disconnect = resolve;
      client.on('error', () => resolve());
      client.on('end', () => resolve());
    });
    const check = setInterval(() => void requirePrimary(client).catch(disconnect), checkMs);
    try {
      await client.connect();
      client.on('notification', ({ payload = '' }) => onMessage(payload));
      await client.query(`listen ${pg.escapeIdentifier(channel)}`);
      connected = true;
      onMessage(null);
      if (!stopped) await disconnected;
    } finally {
      connected = false;
      clearInterval(check);
      await Promise.race([client.end().catch(() => undefined), sleep(closeTimeoutMs, undefined, { ref: false })]);
    }
  }

  async function listen(): Promise<void> {
    for (let attempt = 0; !stopped; attempt++) {
      await listenOnce(urls[attempt % urls.length]).catch(() => undefined);
      if (!stopped) await sleep(retryMs);
    }
  }

  const listening = listen();
  return {
    isConnected: () => connected,
    async stop() {
      stopped = true;
      disconnect();
      await listening;
    },
  };
}

async function requirePrimary(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ standby: boolean }>('select pg_is_in_recovery() as standby');
  if (rows[0]?.standby !== false) throw new NotPrimary();
}
