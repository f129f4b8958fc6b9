import pg from 'pg';

export interface Statement {
  text: string;
  values: unknown[];
}

/** Every SQL statement that goes to a database while `work` runs, transaction control aside. */
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

/** How many pages of the database a statement touches: its cost, the same on any machine. */
export async function buffersOf(pool: pg.Pool, { text, values }: Statement): Promise<number> {
  const { rows } = await pool.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(`explain (analyze, buffers, format json) ${text}`, values);
  const plan = rows[0]?.['QUERY PLAN'][0].Plan;
  return plan ? plan['Shared Hit Blocks'] + plan['Shared Read Blocks'] : 0;
}
