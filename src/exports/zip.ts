import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ZipFile } from 'yazl';

const options = {
  /** A low level, because higher levels save little space and use CPU time that requests need. */
  compressionLevel: 2,
  /** A fixed date, so that the same content gives the same bytes. */
  mtime: new Date(1980, 0, 1),
  forceDosTimestamp: true,
};

export interface Entry {
  name: string;
  bytes: AsyncIterable<Buffer> | Iterable<Buffer>;
}

/** Streams a zip archive. Requests the next entry after the previous entry was read to its end. */
export async function* zip(entries: AsyncIterable<Entry>): AsyncGenerator<Buffer> {
  const archive = new ZipFile();
  const output = archive.outputStream as Readable;
  const stop = new AbortController();
  const addEntries = async () => {
    for await (const { name, bytes } of entries) {
      const source = Readable.from(bytes, { signal: stop.signal });
      archive.addReadStream(source, name, options);
      await finished(source);
    }
    archive.end();
  };
  const adding = addEntries();
  // yazl does not report errors of its input streams, so the error is passed to the reader of the archive here.
  adding.catch((error: Error) => output.destroy(error));
  try {
    yield* output as AsyncIterable<Buffer>;
    await adding;
  } finally {
    // If the reader stops early, the entries must be closed too, because they hold a database session.
    stop.abort();
    await adding.catch(() => undefined);
  }
}
