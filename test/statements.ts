import type pg from 'pg';
import { onStatement, type Statement } from './watch-statements.ts';

/** Records the SQL statements that the service sends while `work` runs. Leaves out `begin`, `commit` and `rollback`. */
export async function statementsOf<T>(work: () => Promise<T>): Promise<{ result: T; statements: Statement[] }> {
  const statements: Statement[] = [];
  const stop = onStatement((statement) => {
    if (!/^(start transaction|begin|commit|rollback)/.test(statement.text)) statements.push(statement);
  });
  try {
    return { result: await work(), statements };
  } finally {
    stop();
  }
}

interface Plan {
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
}

/** Returns how many database pages a statement reads. Unlike its duration, this does not depend on the speed of the machine. */
export async function buffersOf(pool: pg.Pool, { text, values }: Statement): Promise<number> {
  const { rows } = await pool.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(`explain (analyze, buffers, format json) ${text}`, values);
  const plan = rows[0]?.['QUERY PLAN'][0].Plan;
  return plan ? plan['Shared Hit Blocks'] + plan['Shared Read Blocks'] : 0;
}
