import type { Tx } from '../postgres/database.ts';
import type { Header } from './csv-header.ts';
import { CsvToCopy } from './csv-to-copy.ts';
import { copyUpload, createUpload } from './upload.sql.ts';

/** Describes the rows in the temporary table. They are not validated yet. */
export interface ReceivedCodes {
  rows: number;
  itemBy: Header['itemBy'];
}

/** Streams the file into a temporary table of the transaction. This process never has the whole file in memory or on disk. */
export async function receiveCodes(tx: Tx, file: AsyncIterable<Uint8Array>): Promise<ReceivedCodes> {
  await createUpload(tx);
  const csv = new CsvToCopy();
  const text = copyText(file, csv);
  // COPY needs the columns of the header, so the first chunk of rows is read before COPY starts.
  const first = await text.next();
  if (!csv.header) throw new Error('The CSV scanner returned rows before it read the header');
  await copyUpload(tx, csv.header.columns, startingWith(first.value ?? Buffer.alloc(0), text));
  return { rows: csv.rows, itemBy: csv.header.itemBy };
}

async function* copyText(file: AsyncIterable<Uint8Array>, csv: CsvToCopy): AsyncGenerator<Buffer> {
  for await (const chunk of file) {
    const rows = csv.push(chunk);
    if (rows.length > 0) yield rows;
  }
  yield csv.end();
}

async function* startingWith<T>(first: T, rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield first;
  yield* rest;
}
