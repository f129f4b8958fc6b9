import { eventuallyWaiting } from './eventually.ts';
import type { World } from './harness.ts';

/** Holds the lock that `statement` takes until all the works wait behind it, one after the other, and then lets them go. */
export async function atOnceBehind<T>({ pool }: World, statement: string, works: readonly (() => Promise<T>)[]): Promise<T[]> {
  const holder = await pool.connect();
  const running: Promise<T>[] = [];
  try {
    await holder.query('begin');
    await holder.query(statement);
    for (const work of works) {
      running.push(work());
      await eventuallyWaiting(pool, running.length);
    }
  } finally {
    await holder.query('commit');
    holder.release();
  }
  return Promise.all(running);
}
