import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const retryMs = 250;
/** Closing has a timeout, because a broken connection may never confirm that it is closed. */
const closeTimeoutMs = 1_000;

/**
 * Listens to NOTIFY on a separate connection, and reconnects when the connection breaks. Calls `onMessage(null)` after each connect, because
 * messages may have been missed before. Returns a function that stops listening.
 */
export function startListening(url: string, channel: string, onMessage: (payload: string | null) => void): () => Promise<void> {
  let stopped = false;
  let disconnect = (): void => undefined;

  /** Returns when the connection breaks or `disconnect` is called. */
  async function listenOnce(): Promise<void> {
    const options = { connectionString: url, application_name: 'tessera listener', keepAlive: true, connectionTimeoutMillis: 5_000 };
    const client = new pg.Client(options);
    const disconnected = new Promise<void>((resolve) => {
      disconnect = resolve;
      client.on('error', () => resolve());
      client.on('end', () => resolve());
    });
    try {
      await client.connect();
      client.on('notification', ({ payload = '' }) => onMessage(payload));
      await client.query(`listen ${pg.escapeIdentifier(channel)}`);
      onMessage(null);
      if (!stopped) await disconnected;
    } finally {
      await Promise.race([client.end().catch(() => undefined), sleep(closeTimeoutMs, undefined, { ref: false })]);
    }
  }

  async function listen(): Promise<void> {
    while (!stopped) {
      await listenOnce().catch(() => undefined);
      if (!stopped) await sleep(retryMs);
    }
  }

  const listening = listen();
  return async () => {
    stopped = true;
    disconnect();
    await listening;
  };
}
