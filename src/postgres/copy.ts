import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { CompiledQuery, RawBuilder } from 'kysely';
import pg from 'pg';
import { from, to } from 'pg-copy-streams';
import type { Tx } from './database.ts';
import { onConnection } from './pipelined-connection.ts';

/** Sends the bytes to a `copy … from stdin`, no faster than the database takes them, and answers how many rows they were. */
export async function copyFrom(tx: Tx, statement: string, bytes: AsyncIterable<Uint8Array>): Promise<number> {
  const [copied] = await onConnection(tx, (wire) =>
    wire.alone(async (client) => {
      const target = client.query(from(statement));
      await pipeline(bytes, target);
      return [target.rowCount];
    }),
  );
  return copied ?? 0;
}

/** So much may come before it is taken: in smaller bites the database and whoever takes would wait for each other. */
const copiedAhead = 1_048_576;

/** Hands on what the query finds as bytes, one line a row, no faster than they are taken; answers how many rows they were. */
export async function copyTo(
  tx: Tx,
  query: RawBuilder<unknown>,
  format: 'csv' | 'text',
  take: (bytes: AsyncIterable<Buffer>) => Promise<void>,
): Promise<number> {
  const statement = `copy (${withValues(query.compile(tx))}) to stdout (format ${format})`;
  const [copied] = await onConnection(tx, (wire) => wire.alone(async (client) => [await copyOut(client, statement, take)]));
  return copied ?? 0;
}

async function copyOut(client: pg.PoolClient, statement: string, take: (bytes: Readable) => Promise<void>): Promise<number | null> {
  const source = client.query(to(statement, { highWaterMark: copiedAhead }));
  source.on('error', () => undefined);
  try {
    await take(source);
    return source.rowCount;
  } catch (error) {
    // Whoever stops taking leaves a connection full of rows that nobody wants: it is of no more use.
    await (client as unknown as pg.Client).end().catch(() => undefined);
    throw error;
  }
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
