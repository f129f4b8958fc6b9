import { copyTo } from '../postgres/copy.ts';
import type { Database } from '../postgres/database.ts';
import { inTransaction, withIsoDates } from '../postgres/transaction.ts';
import { disableNestedLoops, type Part, type Range, selectLastId, selectPieceEnd } from './lists.sql.ts';

/** The number of ids per piece. A piece of this size is about 2 MB of text. */
export const defaultPieceSize = 10_000;

export interface Piece {
  rows: number;
  bytes: Buffer[];
  /** The last id in the piece. */
  end: number;
}

/** A part with the last id that it had when the export started. */
export interface BoundedPart {
  part: Part;
  lastId: number;
}

/** Sets the end of each part, so that rows that are added later are left out. Otherwise an export might never end during a sale. */
export async function boundParts(session: Database, parts: readonly Part[]): Promise<BoundedPart[]> {
  const bounded: BoundedPart[] = [];
  for (const part of parts) bounded.push({ part, lastId: await selectLastId(session, part) });
  return bounded;
}

/**
 * Reads each piece in its own short transaction. A transaction as long as the export would keep vacuum from cleaning the tables of orders.
 * A piece is read completely before it is yielded, so that a slow file store keeps no transaction open. While the consumer handles a piece,
 * the next piece is read.
 */
export async function* readPieces(
  session: Database,
  parts: readonly BoundedPart[],
  format: 'csv' | 'text',
  pieceSize: number,
): AsyncGenerator<Piece> {
  for (const { part, lastId } of parts) {
    const read = (after: number) => withoutUnhandledRejection(readPiece(session, part, { after, upTo: lastId }, format, pieceSize));
    let next = read(0);
    try {
      for (let piece = await next; piece !== null; piece = await next) {
        next = read(piece.end);
        yield piece;
      }
    } finally {
      // After this the caller releases the session. So this waits for a query that is still running on the session.
      await next.catch(() => undefined);
    }
  }
}

/** Marks a rejection as handled. The promise may fail before it is awaited, and Node ends the process for an unhandled rejection. */
function withoutUnhandledRejection<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

const readPiece = (session: Database, part: Part, range: Range, format: 'csv' | 'text', pieceSize: number): Promise<Piece | null> =>
  inTransaction(session, { readOnly: true, once: true }, async (tx) => {
    const end = range.after >= range.upTo ? null : await selectPieceEnd(tx, part, range, pieceSize);
    if (end === null) return null;
    await withIsoDates(tx);
    if (part.avoidNestedLoops) await disableNestedLoops(tx);
    const bytes: Buffer[] = [];
    const rows = await copyTo(tx, part.rows({ after: range.after, upTo: end }), format, async (found) => {
      for await (const chunk of found) bytes.push(chunk);
    });
    return { rows, bytes, end };
  });
