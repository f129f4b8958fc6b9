import { eventuallyWaiting } from './eventually.ts';
import type { World } from './harness.ts';

/** Holds the lock that `statement` takes until all the works wait behind it, one after the other, and then lets them go. */
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
