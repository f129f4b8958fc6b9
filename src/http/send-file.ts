import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../kernel/problem.ts';
import type { GeneratedFile, StoredFile } from '../kernel/route.ts';
import { matches } from './etag.ts';

/** Where files are; `platform/files` knows, this is what the edge asks of it. */
export interface FileStore {
  /** The bytes from `from` to `to`, both of them included; null when there is no such file. */
  read(key: string, from: number, to: number): Promise<Readable | null>;
}

interface Part {
  from: number;
  to: number;
}

/** The file or the part of it that was asked for, to be kept by who asked and by nothing on the way. */
export async function sendFile(request: FastifyRequest, reply: FastifyReply, store: FileStore, file: StoredFile): Promise<FastifyReply> {
  const etag = `"${file.tag}"`;
  const part = requestedRange(request.headers.range, String(request.headers['if-range'] ?? etag), etag, file.bytes);
  const { from, to } = part ?? { from: 0, to: file.bytes - 1 };
  // Fastify tells the length of what it is given, unless that is a stream.
  const body = request.method === 'HEAD' || file.bytes === 0 ? Readable.from([]) : await store.read(file.key, from, to);
  if (body === null) throw new Problem('link_expired');
  reply.code(part ? 206 : 200).headers({
    'content-type': file.mediaType,
    'content-length': to - from + 1,
    'content-disposition': `attachment; filename="${file.name}"`,
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-store',
    etag,
  });
  if (part) reply.header('content-range', `bytes ${from}-${to}/${file.bytes}`);
  return reply.send(body);
}

/** The content of such a file never changes at its address. Only the caller may cache it: it may be a ticket. */
export function sendGeneratedFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { content, name, mediaType, tag }: GeneratedFile,
): FastifyReply {
  const etag = `"${tag}"`;
  reply.headers({ 'cache-control': 'private, max-age=31536000, immutable', etag });
  if (matches(request.headers['if-none-match'] ?? '', etag)) return reply.code(304).send();
  return reply.headers({ 'content-type': mediaType, 'content-disposition': `inline; filename="${name}"` }).send(content);
}

/** Null for the whole file: no range, several at once, one that is none, or one of a file that has changed since. */
export function requestedRange(range: string | undefined, ifRange: string, etag: string, bytes: number): Part | null {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return null;
  if (ifRange !== etag) return null;
  const part =
    first === ''
      ? { from: Math.max(0, bytes - Number(last)), to: bytes - 1 }
      : { from: Number(first), to: last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1) };
  if (first !== '' && last !== '' && Number(last) < Number(first)) return null;
  if (part.from <= part.to) return part;
  throw new Problem('range_not_satisfiable', `It has ${bytes} bytes`, { headers: { 'content-range': `bytes */${bytes}` } });
}
