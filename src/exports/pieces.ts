import { copyTo } from '../postgres/copy.ts';
import type { Database } from '../postgres/database.ts';
import { inTransaction, withIsoDates } from '../postgres/transaction.ts';
import { avoidLoops, type Part, type Range, selectLastId, selectPieceEnd } from './lists.sql.ts';

/** Orders, tickets, codes or passkeys in one piece: about 2 MB of text. */
export const usualPieceSize = 10_000;

export interface Piece {
  rows: number;
  bytes: Buffer[];
  /** The last id in it. */
  end: number;
}

/** A part with the last id that it had when the export began. */
export interface BoundedPart {
  part: Part;
  lastId: number;
}

/** What is added later is not exported, so that an export comes to an end however fast is sold. */
export async function boundParts(session: Database, parts: readonly Part[]): Promise<BoundedPart[]> {
  const bounded: BoundedPart[] = [];
  for (const part of parts) bounded.push({ part, lastId: await selectLastId(session, part) });
  return bounded;
}

/**
 * Everything, piece by piece, each in a short transaction of its own. One transaction for all would keep vacuum from cleaning the tables that
 * orders are written to, for as long as the export takes. A piece is read whole before it is handed on, so that a slow file store keeps no
 * transaction open. While it is handed on, the next one is read.
 */
export async function* readPieces(
  session: Database,
  parts: readonly BoundedPart[],
  format: 'csv' | 'text',
  pieceSize: number,
): AsyncGenerator<Piece> {
  for (const { part, lastId } of parts) {
    const read = (after: number) => quietly(readPiece(session, part, { after, upTo: lastId }, format, pieceSize));
    let coming = read(0);
    try {
      for (let piece = await coming; piece !== null; piece = await coming) {
        coming = read(piece.end);
        yield piece;
      }
    } finally {
      // The session is free for others when nobody reads any more.
      await coming.catch(() => undefined);
    }
  }
}

/** An error is reported to who awaits it, maybe later. */
function quietly<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

const readPiece = (session: Database, part: Part, range: Range, format: 'csv' | 'text', pieceSize: number): Promise<Piece | null> =>
  inTransaction(session, { readOnly: true, once: true }, async (tx) => {
    const end = range.after >= range.upTo ? null : await selectPieceEnd(tx, part, range, pieceSize);
    if (end === null) return null;
    await withIsoDates(tx);
    if (part.isMerged) await avoidLoops(tx);
    const bytes: Buffer[] = [];
    const rows = await copyTo(tx, part.rows({ after: range.after, upTo: end }), format, async (found) => {
      for await (const chunk of found) bytes.push(chunk);
    });
    return { rows, bytes, end };
  });
