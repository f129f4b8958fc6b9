import { setTimeout as sleep } from 'node:timers/promises';

const timeoutMs = 60_000;
const stepMs = 5;

/** Polls until the condition returns a truthy value, and returns that value. The timeout is long, because it is only for tests that hang. */
export async function eventually<T>(what: string, condition: () => T | Promise<T>): Promise<T> {
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline; await sleep(stepMs)) {
    const found = await condition();
    if (found) return found;
  }
  throw new Error(`Did not happen within ${timeoutMs / 1000} s: ${what}`);
}

interface Queries {
  query(text: string): Promise<{ rowCount: number | null }>;
}

/** Waits until exactly `sessions` sessions of the test database wait for a lock. */
export const eventuallyWaiting = (pool: Queries, sessions: number): Promise<boolean> =>
  eventually(`${sessions} sessions wait for a lock`, async () => {
    const waiting = `select from pg_stat_activity where datname = current_database() and state = 'active' and wait_event_type = 'Lock'`;
    return (await pool.query(waiting)).rowCount === sessions;
  });
