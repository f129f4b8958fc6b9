import { createHash } from 'node:crypto';
import type { Files } from '../platform/files/files.ts';
import type { Database } from '../postgres/database.ts';
import type { ExportRow } from './exports.sql.ts';
import type { MadeFile } from './jobs.sql.ts';
import { columnsOf, partsOf } from './lists.sql.ts';
import { boundParts, type Piece, readPieces } from './pieces.ts';
import { xlsx } from './xlsx.ts';

export const mediaTypes: Record<ExportRow['format'], string> = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

/** The progress of an export. `makeFile` updates it, and `reportProgress` stores it in the database at intervals. */
export interface Progress {
  rows: number;
  /** Aborts the export when the file is no longer needed. */
  stop: AbortSignal;
}

const byteOrderMark = '\ufeff';

/** Streams the rows into the file store, so that memory use does not depend on the file size. The cells are formatted by the queries. */
export async function makeFile(
  session: Database,
  files: Files,
  row: ExportRow,
  fileKey: string,
  at: Date,
  progress: Progress,
  pieceSize: number,
): Promise<MadeFile> {
  const { type, format, bom, locale } = row;
  const columns = columnsOf(row);
  const header = columns.map(({ title }) => title[locale]);
  const parts = await boundParts(session, await partsOf(session, row, at));
  const hash = createHash('sha256');
  let size = 0;

  async function* hashed(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of bytes) {
      hash.update(chunk);
      size += chunk.length;
      yield chunk;
    }
  }

  const lines = countedLines(readPieces(session, parts, format === 'csv' ? 'csv' : 'text', pieceSize), progress);
  const bytes = format === 'csv' ? csv(header, bom, lines) : xlsx({ title: type, header, kinds: columns.map(({ kind }) => kind), lines });
  await files.write(fileKey, mediaTypes[format], hashed(bytes));
  return { rows: progress.rows, bytes: size, sha256: hash.digest() };
}

async function* countedLines(pieces: AsyncIterable<Piece>, progress: Progress): AsyncGenerator<Buffer> {
  for await (const { rows, bytes } of pieces) {
    for (const chunk of bytes) {
      progress.stop.throwIfAborted();
      yield chunk;
    }
    progress.rows += rows;
  }
  progress.stop.throwIfAborted();
}

async function* csv(header: readonly string[], bom: boolean, lines: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield Buffer.from(`${bom ? byteOrderMark : ''}${header.join(',')}\n`);
  yield* lines;
}
