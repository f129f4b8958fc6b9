import { createHash } from 'node:crypto';
import type { Files } from '../platform/files/files.ts';
import { copyTo } from '../postgres/copy.ts';
import type { Tx } from '../postgres/database.ts';
import type { ExportRow } from './exports.sql.ts';
import type { MadeFile } from './jobs.sql.ts';
import { listOf } from './lists.sql.ts';
import { xlsx } from './xlsx.ts';

export const mediaTypes: Record<ExportRow['format'], string> = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

/** What is being made, for who looks at it from outside. */
export interface Progress {
  rows: number;
  /** Ends it in the middle. */
  stop: AbortSignal;
}

const byteOrderMark = '\ufeff';

/**
 * Everything that the export is of, as it was when the transaction first looked, from the database into the store without standing in
 * memory. What of it is for a spreadsheet is decided in the query.
 */
export async function makeFile(tx: Tx, files: Files, row: ExportRow, fileKey: string, at: Date, progress: Progress): Promise<MadeFile> {
  const { type, format, bom, locale, event_id, filters, timezone } = row;
  const { columns, select } = listOf(type);
  const header = columns.map(({ title }) => title[locale]);
  const query = select(event_id, filters, format, timezone, at);
  const hash = createHash('sha256');
  let size = 0;

  async function* hashed(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of bytes) {
      hash.update(chunk);
      size += chunk.length;
      yield chunk;
    }
  }

  const rows = await copyTo(tx, query, format === 'csv' ? 'csv' : 'text', async (found) => {
    const lines = counted(found, progress);
    const bytes = format === 'csv' ? csv(header, bom, lines) : xlsx({ title: type, header, kinds: columns.map(({ kind }) => kind), lines });
    await files.write(fileKey, mediaTypes[format], hashed(bytes));
  });
  return { rows, bytes: size, sha256: hash.digest() };
}

const newline = 10;

/** A line may stand in the middle of a cell, so that this is only near the truth; the database tells in the end how many there were. */
async function* counted(found: AsyncIterable<Buffer>, progress: Progress): AsyncGenerator<Buffer> {
  for await (const chunk of found) {
    progress.stop.throwIfAborted();
    for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, at + 1)) progress.rows++;
    yield chunk;
  }
}

async function* csv(header: readonly string[], bom: boolean, lines: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield Buffer.from(`${bom ? byteOrderMark : ''}${header.join(',')}\n`);
  yield* lines;
}
