import { pipeline } from 'node:stream/promises';
import { from } from 'pg-copy-streams';
import type { Tx } from './database.ts';
import { onWire } from './wire.ts';

/** Sends the bytes to a `copy … from stdin`, no faster than the database takes them, and answers how many rows they were. */
export async function copyFrom(tx: Tx, statement: string, bytes: AsyncIterable<Uint8Array>): Promise<number> {
  const [copied] = await onWire(tx, (wire) =>
    wire.alone(async (client) => {
      const target = client.query(from(statement));
      await pipeline(bytes, target);
      return [target.rowCount];
    }),
  );
  return copied ?? 0;
}
