import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { CompiledQuery, RawBuilder } from 'kysely';
import pg from 'pg';
import { from, to } from 'pg-copy-streams';
import type { Tx } from './database.ts';
import { onConnection, type Watchdog } from './pipelined-connection.ts';

/** Streams the bytes into a `copy … from stdin` statement, with backpressure. Returns the number of rows. */
export async function copyFrom(tx: Tx, statement: string, bytes: AsyncIterable<Uint8Array>): Promise<number> {
  const [copied] = await onConnection(tx, (connection) =>
    connection.alone(async (client, watchdog) => {
      const target = client.query(from(statement));
      await pipeline(watched(bytes, watchdog), target);
      return [target.rowCount];
    }),
  );
  return copied ?? 0;
}

/**
 * Watches the server while it takes a chunk, and after the last one until it has responded. While we wait for the next chunk of the client,
 * the server is not watched. TCP would notice a lost server only after many minutes, because there are unacknowledged bytes.
 */
async function* watched(bytes: AsyncIterable<Uint8Array>, watchdog: Watchdog): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    watchdog.watch();
    yield chunk;
    watchdog.rest();
  }
  watchdog.watch();
}

/** The size of the read buffer. With a smaller buffer the database and the consumer would often wait for each other. */
const readAheadBytes = 1_048_576;

/** Streams the rows of the query to `consume`, one line per row, with backpressure. Returns the number of rows. */
export async function copyTo(
  tx: Tx,
  query: RawBuilder<unknown>,
  format: 'csv' | 'text',
  consume: (bytes: AsyncIterable<Buffer>) => Promise<void>,
): Promise<number> {
  const statement = `copy (${withValues(query.compile(tx))}) to stdout (format ${format})`;
  const [copied] = await onConnection(tx, (connection) => connection.alone(async (client) => [await copyOut(client, statement, consume)]));
  return copied ?? 0;
}

async function copyOut(client: pg.PoolClient, statement: string, consume: (bytes: Readable) => Promise<void>): Promise<number | null> {
  const source = client.query(to(statement, { highWaterMark: readAheadBytes }));
  source.on('error', () => undefined);
  try {
    await consume(source);
    return source.rowCount;
  } catch (error) {
    // The server keeps sending rows that nobody reads, so the connection cannot be used again.
    await (client as unknown as pg.Client).end().catch(() => undefined);
    throw error;
  }
}

/** COPY accepts no parameters, so they are inserted into the text as literals. */
const withValues = ({ sql, parameters }: CompiledQuery): string =>
  sql.replaceAll(/\$(\d+)/g, (_, n: string) => literal(parameters[Number(n) - 1]));

function literal(value: unknown): string {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value < 0 ? `(${value})` : String(value);
  if (typeof value === 'string') return pg.escapeLiteral(value);
  if (value instanceof Date) return `${pg.escapeLiteral(value.toISOString())}::timestamptz`;
  throw new TypeError(`No literal for ${typeof value}`);
}
