import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CompiledQuery, type PostgresPool, type PostgresPoolClient, type RawBuilder } from 'kysely';
import pg from 'pg';
import { from, to } from 'pg-copy-streams';
import type { Tx } from './database.ts';

/** What a `copy … from stdin` reads, given to it as its parameter. */
class CopySource {
  readonly bytes: AsyncIterable<Uint8Array>;
  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.bytes = bytes;
  }
}

/** Who takes what a `copy … to stdout` writes. */
class CopyTarget {
  readonly take: (bytes: Readable) => Promise<void>;
  constructor(take: (bytes: Readable) => Promise<void>) {
    this.take = take;
  }
}

/** Sends the bytes to a `copy … from stdin`, no faster than the database takes them, and answers how many rows they were. */
export async function copyFrom(tx: Tx, statement: string, bytes: AsyncIterable<Uint8Array>): Promise<number> {
  const { rows } = await tx.executeQuery<{ copied: number }>(CompiledQuery.raw(statement, [new CopySource(bytes)]));
  return rows[0]?.copied ?? 0;
}

/** Hands on what the query finds as bytes, one line a row, no faster than they are taken; answers how many rows they were. */
export async function copyTo(
  tx: Tx,
  query: RawBuilder<unknown>,
  format: 'csv' | 'text',
  take: (bytes: AsyncIterable<Buffer>) => Promise<void>,
): Promise<number> {
  const statement = `copy (${withValues(query.compile(tx))}) to stdout (format ${format})`;
  const { rows } = await tx.executeQuery<{ copied: number }>(CompiledQuery.raw(statement, [new CopyTarget(take)]));
  return rows[0]?.copied ?? 0;
}

/** COPY takes no parameters: they are written into the text, as literals. */
const withValues = ({ sql, parameters }: CompiledQuery): string =>
  sql.replaceAll(/\$(\d+)/g, (_, n: string) => literal(parameters[Number(n) - 1]));

function literal(value: unknown): string {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value < 0 ? `(${value})` : String(value);
  if (typeof value === 'string') return pg.escapeLiteral(value);
  if (value instanceof Date) return `${pg.escapeLiteral(value.toISOString())}::timestamptz`;
  throw new TypeError(`No literal for ${typeof value}`);
}

/** Kysely keeps its connection to itself but hands on parameters as they are: so a COPY reaches the connection of its transaction. */
export function understandingCopy(pool: pg.Pool): PostgresPool {
  const wrapped = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  return {
    async connect() {
      const client = await pool.connect();
      const known = wrapped.get(client) ?? wrap(client);
      wrapped.set(client, known);
      return known;
    },
    end: () => pool.end(),
  };
}

function wrap(client: pg.PoolClient): PostgresPoolClient {
  const run = (text: string, values: unknown[]) => {
    const [first] = values;
    if (first instanceof CopySource) return copyIn(client, text, first.bytes);
    if (first instanceof CopyTarget) return copyOut(client, text, first.take);
    return client.query(text, values);
  };
  return { query: run as PostgresPoolClient['query'], release: () => client.release() };
}

const copied = (rowCount: number | null) => ({ command: 'COPY', rowCount, rows: [{ copied: rowCount }] });

async function copyIn(client: pg.PoolClient, statement: string, bytes: AsyncIterable<Uint8Array>) {
  const target = client.query(from(statement));
  await pipeline(bytes, target);
  return copied(target.rowCount);
}

/** So much may come before it is taken: in smaller bites the database and whoever takes would wait for each other. */
const copiedAhead = 1_048_576;

async function copyOut(client: pg.PoolClient, statement: string, take: (bytes: Readable) => Promise<void>) {
  const source = client.query(to(statement, { highWaterMark: copiedAhead }));
  source.on('error', () => undefined);
  try {
    await take(source);
    return copied(source.rowCount);
  } catch (error) {
    // Whoever stops taking leaves a connection full of rows that nobody wants: it is of no more use.
    await (client as unknown as pg.Client).end().catch(() => undefined);
    throw error;
  }
}
