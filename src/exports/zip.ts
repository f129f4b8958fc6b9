import { pipeline } from 'node:stream/promises';
import { crc32, createDeflateRaw } from 'node:zlib';

/** The first two levels give most of what there is to gain; more would cost the machine that sells tickets. */
const deflateLevel = 2;
const mostBytes = 0xffff_ffff;

export interface Entry {
  name: string;
  bytes: AsyncIterable<Buffer> | Iterable<Buffer>;
}

interface Written {
  name: Buffer;
  crc: number;
  packed: number;
  plain: number;
  offset: number;
}

/** A zip archive as bytes, one entry after the other as they are made: nothing is held back, and sizes stand behind their entries. */
export async function* zip(entries: AsyncIterable<Entry>): AsyncGenerator<Buffer> {
  const written: Written[] = [];
  let offset = 0;
  for await (const { name, bytes } of entries) {
    const entry: Written = { name: Buffer.from(name), crc: 0, packed: 0, plain: 0, offset };
    const head = localHeader(entry.name);
    yield head;
    for await (const chunk of deflate(bytes, entry)) {
      entry.packed += chunk.length;
      yield chunk;
    }
    const tail = descriptor(entry);
    yield tail;
    offset += head.length + entry.packed + tail.length;
    if (entry.plain > mostBytes || offset > mostBytes) throw new RangeError('A zip archive of this kind holds 4 GiB');
    written.push(entry);
  }
  const directory = Buffer.concat(written.map(directoryEntry));
  yield Buffer.concat([directory, endOfDirectory(written.length, directory.length, offset)]);
}

async function* deflate(bytes: Entry['bytes'], entry: Written): AsyncGenerator<Buffer> {
  const deflater = createDeflateRaw({ level: deflateLevel, chunkSize: 65_536 });
  const counted = async function* () {
    for await (const chunk of bytes) {
      entry.crc = crc32(chunk, entry.crc);
      entry.plain += chunk.length;
      yield chunk;
    }
  };
  const feeding = pipeline(counted, deflater);
  feeding.catch(() => undefined);
  yield* deflater as AsyncIterable<Buffer>;
  await feeding;
}

const version = 20;
/** Sizes and checksum follow the entry; its name is UTF-8. */
const flags = 0x0808;
const deflated = 8;
/** The first of January 1980: the same content gives the same bytes. */
const [time, date] = [0, 0x21];

function numbers(...fields: [value: number, bytes: 2 | 4][]): Buffer {
  const buffer = Buffer.alloc(fields.reduce((sum, [, bytes]) => sum + bytes, 0));
  let at = 0;
  for (const [value, bytes] of fields) at = buffer.writeUIntLE(value, at, bytes);
  return buffer;
}

const localHeader = (name: Buffer): Buffer =>
  Buffer.concat([
    numbers(
      [0x04034b50, 4],
      [version, 2],
      [flags, 2],
      [deflated, 2],
      [time, 2],
      [date, 2],
      [0, 4],
      [0, 4],
      [0, 4],
      [name.length, 2],
      [0, 2],
    ),
    name,
  ]);

const descriptor = ({ crc, packed, plain }: Written): Buffer => numbers([0x08074b50, 4], [crc, 4], [packed, 4], [plain, 4]);

const directoryEntry = ({ name, crc, packed, plain, offset }: Written): Buffer =>
  Buffer.concat([
    numbers(
      [0x02014b50, 4],
      [version, 2],
      [version, 2],
      [flags, 2],
      [deflated, 2],
      [time, 2],
      [date, 2],
      [crc, 4],
      [packed, 4],
      [plain, 4],
    ),
    numbers([name.length, 2], [0, 2], [0, 2], [0, 2], [0, 2], [0, 4], [offset, 4]),
    name,
  ]);

const endOfDirectory = (entries: number, size: number, offset: number): Buffer =>
  numbers([0x06054b50, 4], [0, 2], [0, 2], [entries, 2], [entries, 2], [size, 4], [offset, 4], [0, 2]);
