import { eventuallyWaiting } from './eventually.ts';
import type { World } from './harness.ts';

/**
 * Takes a lock with `statement` and starts the tasks one by one. Each task must wait for the lock before the next task starts. Then the lock
 * is released, and the tasks get it in the order in which they started.
 */
export async function runBehindLock<T>({ pool }: World, statement: string, tasks: readonly (() => Promise<T>)[]): Promise<T[]> {
  const holder = await pool.connect();
  const running: Promise<T>[] = [];
  try {
    await holder.query('begin');
    await holder.query(statement);
    for (const task of tasks) {
      running.push(task());
      await eventuallyWaiting(pool, running.length);
    }
  } finally {
    await holder.query('commit');
    holder.release();
  }
  return Promise.all(running);
}
