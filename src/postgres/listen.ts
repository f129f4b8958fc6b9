import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const retryMs = 250;
/** A dead connection may never say good-bye. */
const goodByeMs = 1_000;

/**
 * A connection of its own that waits for notices, and comes back when it breaks. Answers how to end it. `hear(null)` whenever it
 * begins to listen: before, something may have been said that nobody heard.
 */
export function startListening(url: string, channel: string, hear: (payload: string | null) => void): () => Promise<void> {
  let stopped = false;
  let hangUp = (): void => undefined;

  /** Until the connection breaks or somebody hangs up. */
  async function listenOnce(): Promise<void> {
    const options = { connectionString: url, application_name: 'tessera listener', keepAlive: true, connectionTimeoutMillis: 5_000 };
    const client = new pg.Client(options);
    const over = new Promise<void>((resolve) => {
      hangUp = resolve;
      client.on('error', () => resolve());
      client.on('end', () => resolve());
    });
    try {
      await client.connect();
      client.on('notification', ({ payload = '' }) => hear(payload));
      await client.query(`listen ${pg.escapeIdentifier(channel)}`);
      hear(null);
      if (!stopped) await over;
    } finally {
      await Promise.race([client.end().catch(() => undefined), sleep(goodByeMs, undefined, { ref: false })]);
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
    hangUp();
    await listening;
  };
}
