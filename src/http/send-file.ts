import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../kernel/problem.ts';
import type { GeneratedFile, StoredFile } from '../kernel/route.ts';
import { matches } from './etag.ts';

/** The part of the file store that `src/http` needs. `platform/files` implements this interface. */
export interface FileStore {
  /** Reads the bytes from `from` to `to`, both included. Returns null when the file does not exist. */
  read(key: string, from: number, to: number): Promise<Readable | null>;
}

interface Range {
  from: number;
  to: number;
}

/** Sends the file or the requested range of it. The response must not be stored in any cache. */
export async function sendFile(request: FastifyRequest, reply: FastifyReply, store: FileStore, file: StoredFile): Promise<FastifyReply> {
  const etag = `"${file.tag}"`;
  const range = requestedRange(request.headers.range, String(request.headers['if-range'] ?? etag), etag, file.bytes);
  const { from, to } = range ?? { from: 0, to: file.bytes - 1 };
  // For HEAD and empty files an empty stream is sent: Fastify would overwrite Content-Length for any other empty body.
  const body = request.method === 'HEAD' || file.bytes === 0 ? Readable.from([]) : await store.read(file.key, from, to);
  if (body === null) throw new Problem('link_expired');
  reply.code(range ? 206 : 200).headers({
    'content-type': file.mediaType,
    'content-length': to - from + 1,
    'content-disposition': `attachment; filename="${file.name}"`,
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-store',
    etag,
  });
  if (range) reply.header('content-range', `bytes ${from}-${to}/${file.bytes}`);
  return reply.send(body);
}

/** No cache may store a generated file, because it may be a ticket. A client that has the file can still ask whether it has changed. */
export async function sendGeneratedFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { content, name, mediaType, tag }: GeneratedFile,
): Promise<FastifyReply> {
  const etag = `"${tag}"`;
  reply.header('etag', etag);
  if (matches(request.headers['if-none-match'] ?? '', etag)) return reply.code(304).send();
  const body = typeof content === 'function' ? await content() : content;
  return reply.headers({ 'content-type': mediaType, 'content-disposition': `inline; filename="${name}"` }).send(body);
}

/**
 * Returns null when the whole file must be sent: there is no range, there are several ranges, or the range is invalid or of an older
 * version of the file.
 */
export function requestedRange(header: string | undefined, ifRange: string, etag: string, bytes: number): Range | null {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return null;
  if (ifRange !== etag) return null;
  const range =
    first === ''
      ? { from: Math.max(0, bytes - Number(last)), to: bytes - 1 }
      : { from: Number(first), to: last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1) };
  if (first !== '' && last !== '' && Number(last) < Number(first)) return null;
  if (range.from <= range.to) return range;
  throw new Problem('range_not_satisfiable', `The file has ${bytes} bytes.`, { headers: { 'content-range': `bytes */${bytes}` } });
}
