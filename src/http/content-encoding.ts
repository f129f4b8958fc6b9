import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** The encodings of pages and assets, the smallest first. */
const encodings = ['br', 'gzip', 'identity'] as const;
export type Encoding = (typeof encodings)[number];

/** Browsers send only a few different headers, so the result is remembered. The limit keeps invented headers from filling the memory. */
const known = new Map<string, Encoding>();
const maxKnown = 1_000;

/** The best encoding that the header `Accept-Encoding` allows. */
export function acceptedEncoding(header: string | undefined): Encoding {
  if (header === undefined) return 'identity';
  const found = known.get(header);
  if (found !== undefined) return found;
  const refused = /;\s*q=0(\.0*)?$/;
  const accepted = header
    .toLowerCase()
    .split(',')
    .map((part) => part.trim())
    .filter((part) => !refused.test(part))
    .map((part) => part.split(';')[0]?.trim());
  const encoding = encodings.find((each) => accepted.includes(each)) ?? 'identity';
  if (known.size < maxKnown) known.set(header, encoding);
  return encoding;
}

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

/** The smallest window that holds the whole text. Brotli would reserve megabytes for each page otherwise. */
const windowBits = (length: number): number =>
  Math.min(constants.BROTLI_MAX_WINDOW_BITS, Math.max(constants.BROTLI_MIN_WINDOW_BITS, Math.ceil(Math.log2(length + 16))));

/** Compresses a text. Level 5 of Brotli takes about 1 ms for a page, level 3 half of it; level 9 is for files that are compressed once. */
export async function encode(content: Buffer, encoding: Encoding, level: number): Promise<Buffer> {
  if (encoding === 'gzip') return compressGzip(content, { level });
  if (encoding === 'identity') return content;
  return compressBrotli(content, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: level,
      [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
      [constants.BROTLI_PARAM_LGWIN]: windowBits(content.length),
    },
  });
}
