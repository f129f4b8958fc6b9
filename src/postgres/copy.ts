import { pipeline } from 'node:stream/promises';
import { CompiledQuery, type PostgresPool, type PostgresPoolClient } from 'kysely';
import type pg from 'pg';
import { from } from 'pg-copy-streams';
import type { Tx } from './database.ts';

/** What a `copy … from stdin` reads, given to it as its parameter. */
class CopySource {
  readonly bytes: AsyncIterable<Uint8Array>;
  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.bytes = bytes;
  }
}

/** Sends the bytes to a `copy … from stdin`, no faster than the database takes them, and answers how many rows they were. */
export async function copyFrom(tx: Tx, statement: string, bytes: AsyncIterable<Uint8Array>): Promise<number> {
  const { rows } = await tx.executeQuery<{ copied: number }>(CompiledQuery.raw(statement, [new CopySource(bytes)]));
  return rows[0]?.copied ?? 0;
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
    const [source] = values;
    return source instanceof CopySource ? copy(client, text, source.bytes) : client.query(text, values);
  };
  return { query: run as PostgresPoolClient['query'], release: () => client.release() };
}

async function copy(client: pg.PoolClient, statement: string, bytes: AsyncIterable<Uint8Array>) {
  const target = client.query(from(statement));
  await pipeline(bytes, target);
  return { command: 'COPY', rowCount: target.rowCount, rows: [{ copied: target.rowCount }] };
}
