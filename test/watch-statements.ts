import pg from 'pg';

export interface Statement {
  text: string;
  values: unknown[];
}

type Listener = (statement: Statement, client: object) => void;

const listeners = new Set<Listener>();

/**
 * Calls the listener for each statement that the service sends in this process, before it is sent. The service passes an object to
 * `pg.Client.query`. Tests that query the database themselves pass a string, and those statements are left out. Returns a function that
 * ends the calls.
 */
export function onStatement(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

const original = pg.Client.prototype.query as (...args: unknown[]) => unknown;
pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
  const { text, values = [] } = (args[0] ?? {}) as Partial<Statement>;
  if (typeof text === 'string') for (const listener of listeners) listener({ text, values }, this);
  return original.apply(this, args);
} as typeof pg.Client.prototype.query;
