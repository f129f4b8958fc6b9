import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { etagOf, matches } from './etag.ts';
import type { PageCache } from './page-cache.ts';
import type { OperationResponse } from './run-operation.ts';

export function send(request: FastifyRequest, reply: FastifyReply, { status, headers, body, replayed }: OperationResponse): FastifyReply {
  reply.code(status).headers(headers);
  if (replayed) reply.header('idempotency-replayed', 'true');
  if (request.method === 'GET' || request.method === 'HEAD') {
    reply.header('cache-control', 'private, no-cache');
    if (status === 200 && body !== null) {
      const etag = etagOf(body);
      reply.header('etag', etag);
      if (matches(request.headers['if-none-match'] ?? '', etag)) return reply.code(304).removeHeader('content-type').send();
    }
  } else {
    reply.header('cache-control', 'no-store');
  }
  return reply.send(body ?? undefined);
}

export interface CacheEntry {
  key: string;
  operation: string;
}

type SharedResponse = Awaited<ReturnType<typeof PageCache.prototype.share<OperationResponse>>>;

/** Sends a response and stores it in the page cache. */
export function sendAndCache(
  app: FastifyInstance,
  [request, reply]: [FastifyRequest, FastifyReply],
  { key, operation }: CacheEntry,
  { result, snapshot }: SharedResponse,
): FastifyReply {
  const sent = send(request, reply, result);
  const etag = reply.getHeader('etag');
  if (typeof etag !== 'string' || result.body === null) return sent;
  const body = Buffer.from(result.body).toString('latin1');
  const bodyHeaders = ['content-type', String(result.headers['content-type']), 'content-length', String(body.length)];
  app.pageCache.keep(key, snapshot, { operation, headers: sharedHeaders(reply), bodyHeaders, etag, body });
  return sent;
}

/** The headers that are the same for every request of the page. Headers about this request or about the body are left out. */
function sharedHeaders(reply: FastifyReply): string[] {
  const shared = Object.entries(reply.getHeaders()).filter(
    ([name]) => !/^(x-request-id|x-ratelimit-.*|content-type|content-length)$/.test(name),
  );
  return shared.flatMap(([name, value]) => (value === undefined ? [] : [name, String(value)]));
}
