import pg from 'pg';

export interface Statement {
  text: string;
  values: unknown[];
}

/** Records the SQL statements that are sent while `work` runs. Leaves out `begin`, `commit` and `rollback`. */
export async function statementsOf<T>(work: () => Promise<T>): Promise<{ result: T; statements: Statement[] }> {
  const statements: Statement[] = [];
  const original = pg.Client.prototype.query as (...args: unknown[]) => unknown;
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const { text, values = [] } = args[0] as { text: string; values?: unknown[] };
    if (!/^(start transaction|begin|commit|rollback)/.test(text)) statements.push({ text, values });
    return original.apply(this, args);
  } as typeof pg.Client.prototype.query;
  try {
    return { result: await work(), statements };
  } finally {
    pg.Client.prototype.query = original as typeof pg.Client.prototype.query;
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
