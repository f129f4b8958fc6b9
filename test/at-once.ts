import { setTimeout as sleep } from 'node:timers/promises';
import type { World } from './harness.ts';

const mostWaitMs = 5_000;
const stepMs = 5;

/** Holds the lock that `statement` takes until all the works wait behind it, one after the other, and then lets them go. */
export async function atOnceBehind<T>({ pool }: World, statement: string, works: readonly (() => Promise<T>)[]): Promise<T[]> {
  const holder = await pool.connect();
  const running: Promise<T>[] = [];
  try {
    await holder.query('begin');
    await holder.query(statement);
    for (const work of works) {
      running.push(work());
      await waiters(pool, running.length);
    }
  } finally {
    await holder.query('commit');
    holder.release();
  }
  return Promise.all(running);
}

async function waiters(pool: World['pool'], expected: number): Promise<void> {
  for (let waited = 0; waited < mostWaitMs; waited += stepMs) {
    const { rowCount } = await pool.query(
      `select 1 from pg_stat_activity where datname = current_database() and state = 'active' and wait_event_type = 'Lock'`,
    );
    if (rowCount === expected) return;
    await sleep(stepMs);
  }
  throw new Error(`There were never ${expected} requests waiting`);
}
