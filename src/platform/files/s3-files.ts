import { Readable } from 'node:stream';
import { S3mini, S3ServiceError } from 's3mini';
import { FileStoreError, type Files, requireKey } from './files.ts';

/** Each part is held in memory, because S3 needs its length and hash before its bytes. */
const partBytes = 8 * 1024 * 1024;
const requestTimeoutMs = 60_000;

function explain(error: unknown): never {
  const refused = error instanceof S3ServiceError ? `refused: ${error.serviceCode ?? error.status}` : 'did not respond';
  throw new FileStoreError(`The file store ${refused}`, { cause: error });
}

/** Stores files in a bucket of an S3-compatible server: `s3://key:secret@host/bucket?region=…`. `&tls=off` uses plain HTTP. */
export function s3Files(address: string): Files {
  const { username, password, host, pathname, searchParams } = new URL(address);
  const store = new S3mini({
    accessKeyId: decodeURIComponent(username),
    secretAccessKey: decodeURIComponent(password),
    endpoint: `${searchParams.get('tls') === 'off' ? 'http' : 'https'}://${host}${pathname}`,
    region: searchParams.get('region') ?? 'us-east-1',
    requestAbortTimeout: requestTimeoutMs,
  });

  async function write(key: string, mediaType: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const parts = inParts(bytes);
    const first = await parts.next();
    const firstPart = first.done ? Buffer.alloc(0) : first.value;
    const second = await parts.next();
    if (second.done) await store.putObject(requireKey(key), firstPart, mediaType).catch(explain);
    else await writeParts(key, mediaType, [firstPart, second.value], parts);
  }

  async function writeParts(key: string, mediaType: string, begun: Buffer[], rest: AsyncIterable<Buffer>): Promise<void> {
    const uploadId = await store.getMultipartUploadId(requireKey(key), mediaType).catch(explain);
    const sent: { partNumber: number; etag: string }[] = [];
    const sendPart = async (part: Buffer) => {
      sent.push(await store.uploadPart(key, uploadId, part, sent.length + 1).catch(explain));
    };
    try {
      for (let part = begun.shift(); part; part = begun.shift()) await sendPart(part);
      for await (const part of rest) await sendPart(part);
      await store.completeMultipartUpload(key, uploadId, sent).catch(explain);
    } catch (error) {
      await store.abortMultipartUpload(key, uploadId).catch(() => undefined);
      throw error;
    }
  }

  return {
    write,
    async read(key, from, to) {
      try {
        const { body } = await store.getObjectRaw(requireKey(key), false, from, to + 1);
        return body && Readable.fromWeb(body);
      } catch (error) {
        if (error instanceof S3ServiceError && error.status === 404) return null;
        return explain(error);
      }
    },
    async remove(key) {
      await store.deleteObject(requireKey(key)).catch(explain);
    },
  };
}

async function* inParts(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    chunks.push(chunk);
    length += chunk.length;
    if (length < partBytes) continue;
    yield Buffer.concat(chunks);
    chunks = [];
    length = 0;
  }
  if (length > 0) yield Buffer.concat(chunks);
}
