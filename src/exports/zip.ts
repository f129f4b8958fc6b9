import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ZipFile } from 'yazl';

const options = {
  /** Higher levels save little and take CPU time from selling tickets. */
  compressionLevel: 2,
  /** A fixed date, so that the same content gives the same bytes. */
  mtime: new Date(1980, 0, 1),
  forceDosTimestamp: true,
};

export interface Entry {
  name: string;
  bytes: AsyncIterable<Buffer> | Iterable<Buffer>;
}

/** Streams a zip archive. Asks for the next entry after it has read the previous one to the end. */
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
  // yazl does not watch its input streams, so an error must be passed to the reader of the archive.
  adding.catch((error: Error) => output.destroy(error));
  try {
    yield* output as AsyncIterable<Buffer>;
    await adding;
  } finally {
    // If the reader stops early, the entries must be closed too: they hold a database session.
    stop.abort();
    await adding.catch(() => undefined);
  }
}
