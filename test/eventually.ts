import { setTimeout as sleep } from 'node:timers/promises';

/** Shorter than the timeout of a test, so that the error says what did not happen. Long, because it only ends tests that hang. */
const timeoutMs = 100_000;
const stepMs = 10;

/** Polls until the condition returns a truthy value, and returns that value. Errors of the condition are ignored until time runs out. */
export async function eventually<T>(what: string, condition: () => T | Promise<T>): Promise<Truthy<T>> {
  let cause: unknown;
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline; await sleep(stepMs)) {
    try {
      const found = await condition();
      if (found) return found as Truthy<T>;
    } catch (error) {
      cause = error;
    }
  }
  throw new Error(`Did not happen within ${timeoutMs / 1000} s: ${what}`, { cause });
}

type Truthy<T> = Exclude<T, undefined | null | false | 0 | ''>;

interface Queries {
  query(text: string): Promise<{ rowCount: number | null }>;
}

/** Waits until exactly `sessions` sessions of the test database wait for a lock. */
export const eventuallyWaiting = (pool: Queries, sessions: number): Promise<boolean> =>
  eventually(`${sessions} sessions wait for a lock`, async () => {
    const waiting = `select from pg_stat_activity where datname = current_database() and state = 'active' and wait_event_type = 'Lock'`;
    return (await pool.query(waiting)).rowCount === sessions;
  });
