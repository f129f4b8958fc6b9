import { Readable } from 'node:stream';
import { limitConcurrency } from '../../http/concurrency-limit.ts';
import type { Act } from '../../kernel/act.ts';
import type { PictureFormat, StoredPicture } from '../../kernel/picture.ts';
import { retryLater } from '../../kernel/problem.ts';
import type { Database, Tx } from '../../postgres/database.ts';
import { inTransaction } from '../../postgres/transaction.ts';
import type { Files } from '../files/files.ts';
import { type EncodedPicture, encodePicture, type PictureKind } from './encode-picture.ts';
import { countUnused, deleteRemoved, markUnused, touchPicture, upsertPicture } from './pictures.sql.ts';

export interface PictureContext {
  db: Database;
  files: Files;
}

/** Receives an uploaded picture and stores its files. The caller then refers to it in a transaction. */
export type ReceivePicture = (act: Act, file: AsyncIterable<Uint8Array>, kind: PictureKind) => Promise<StoredPicture>;

/** How long a picture is kept after its last use, because pages and caches may still show its address. */
const keptMs = 86_400_000;

/** The limit of all operations together. A decoded picture can take more than 100 MB. */
const inTurn = limitConcurrency(2);

export const receivePictures =
  (context: PictureContext): ReceivePicture =>
  async (act, file, kind) => {
    const bytes = await readWhole(file);
    const encoded = await inTurn([], () => encodePicture(bytes, kind));
    return storePicture(context, act.at, encoded);
  };

async function readWhole(file: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of file) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/**
 * The row is written before the files and names them, so that no file is left over if the process dies. It is written in a transaction of its
 * own, because no file may be written inside a transaction.
 */
async function storePicture(
  { db, files }: PictureContext,
  at: Date,
  { files: variants, ...picture }: EncodedPicture,
): Promise<StoredPicture> {
  if (!(await inTransaction(db, {}, (tx) => upsertPicture(tx, picture, at))))
    throw retryLater('overloaded', 60, 'An unused copy of this picture is being removed. Send the picture again in a minute.');
  await Promise.all(
    variants.map(async ({ width, format, bytes }) => {
      const key = keyOf(picture.id, width, format);
      if (!(await exists(files, key))) await files.write(key, `image/${format}`, Readable.from([bytes]));
    }),
  );
  return picture;
}

const keyOf = (id: string, width: number, format: PictureFormat): string => `pictures/${id}-${width}.${format}`;

async function exists(files: Files, key: string): Promise<boolean> {
  const found = await files.read(key, 0, 0);
  found?.destroy();
  return found !== null;
}

/** Called when an object no longer refers to the picture. If nothing else refers to it, its files are removed a day later. */
export async function releasePicture(tx: Tx, { at }: Act, id: string | null): Promise<void> {
  if (id !== null) await touchPicture(tx, id, at);
}

const unusedSince = (at: Date): Date => new Date(at.getTime() - keptMs);

export const countUnusedPictures = (tx: Tx, at: Date): Promise<number> => countUnused(tx, unusedSince(at));

/** Removes files before the row that names them. Returns the number of removed pictures. */
export async function removeUnusedPictures({ db, files }: PictureContext, at: Date, limit: number): Promise<number> {
  const unused = await inTransaction(db, {}, (tx) => markUnused(tx, unusedSince(at), limit));
  for (const { id, widths, formats } of unused) {
    for (const width of widths) for (const format of formats) await files.remove(keyOf(id, width, format));
  }
  await inTransaction(db, {}, (tx) =>
    deleteRemoved(
      tx,
      unused.map(({ id }) => id),
    ),
  );
  return unused.length;
}
