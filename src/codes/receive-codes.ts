import type { Tx } from '../postgres/database.ts';
import type { Header } from './csv-header.ts';
import { CsvToCopy } from './csv-to-copy.ts';
import { copyUpload, createUpload } from './upload.sql.ts';

/** What stands in the transaction's own table now, unchecked. */
export interface ReceivedCodes {
  rows: number;
  itemBy: Header['itemBy'];
}

/** From the wire straight into a table that only this transaction sees and that ends with it: nothing is kept here or on disk. */
export async function receiveCodes(tx: Tx, file: AsyncIterable<Uint8Array>): Promise<ReceivedCodes> {
  await createUpload(tx);
  const csv = new CsvToCopy();
  const text = copyText(file, csv);
  // The header says which columns to copy into.
  const first = await text.next();
  if (!csv.header) throw new Error('There was a row before the header');
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
