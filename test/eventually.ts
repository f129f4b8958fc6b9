import { setTimeout as sleep } from 'node:timers/promises';

const patienceMs = 60_000;
const stepMs = 5;

/** Polls until the condition returns something truthy, and returns that. The bound is generous: it only ends a test that would hang. */
export async function eventually<T>(what: string, condition: () => T | Promise<T>): Promise<T> {
  for (const deadline = Date.now() + patienceMs; Date.now() < deadline; await sleep(stepMs)) {
    const found = await condition();
    if (found) return found;
  }
  throw new Error(`Did not happen within ${patienceMs / 1000} s: ${what}`);
}

interface Queries {
  query(text: string): Promise<{ rowCount: number | null }>;
}

/** Waits until so many sessions of the test's database wait for a lock. */
export const eventuallyWaiting = (pool: Queries, sessions: number): Promise<boolean> =>
  eventually(`${sessions} sessions wait for a lock`, async () => {
    const waiting = `select from pg_stat_activity where datname = current_database() and state = 'active' and wait_event_type = 'Lock'`;
    return (await pool.query(waiting)).rowCount === sessions;
  });
