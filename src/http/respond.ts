import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { etagOf, matches } from './etag.ts';
import type { PageCache } from './page-cache.ts';
import type { OperationResponse } from './run-operation.ts';

/**
 * Who may keep a copy of a response. `everybody`: shared caches too, because the response is the same for everybody. `browsers`: the same, and
 * browsers too, for a response that they poll. `caller`: the caller's browser, for a public page that was read with a token. `nobody`:
 * everything else, such as orders, tokens and management data.
 */
export type KeptBy = 'everybody' | 'browsers' | 'caller' | 'nobody';

/**
 * A shared cache, for example a CDN, may serve a public page for one second without asking, and for five more seconds while it asks. So during
 * an on-sale the service gets about one request per second and page. Browsers ask every time.
 */
const cacheControl: Record<KeptBy, string> = {
  everybody: 'public, max-age=0, s-maxage=1, stale-while-revalidate=5',
  browsers: 'public, max-age=1, stale-while-revalidate=5',
  caller: 'private, no-cache',
  nobody: 'no-store',
};

export function send(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, headers, body, replayed }: OperationResponse,
  keptBy: KeptBy,
): FastifyReply {
  reply.code(status).headers(headers);
  if (replayed) reply.header('idempotency-replayed', 'true');
  if (status !== 200 || (request.method !== 'GET' && request.method !== 'HEAD')) return reply.send(body ?? undefined);
  reply.header('cache-control', cacheControl[keptBy]);
  if (keptBy !== 'nobody') addToVary(reply, 'Authorization');
  if (body === null) return reply.send();
  const etag = etagOf(body);
  reply.header('etag', etag);
  if (matches(request.headers['if-none-match'] ?? '', etag)) return reply.code(304).removeHeader('content-type').send();
  return reply.send(body);
}

/** A shared cache must not serve a public page to a caller with a token, who may see more and must see their own changes. */
function addToVary(reply: FastifyReply, header: string): void {
  const others = reply.getHeader('vary');
  reply.header('vary', others === undefined ? header : `${String(others)}, ${header}`);
}

export interface CacheEntry {
  key: string;
  operation: string;
  keptBy: KeptBy;
}

type SharedResponse = Awaited<ReturnType<typeof PageCache.prototype.share<OperationResponse>>>;

/** Sends a response and stores it in the page cache. */
export function sendAndCache(
  app: FastifyInstance,
  [request, reply]: [FastifyRequest, FastifyReply],
  { key, operation, keptBy }: CacheEntry,
  { result, snapshot }: SharedResponse,
): FastifyReply {
  const sent = send(request, reply, result, keptBy);
  const etag = reply.getHeader('etag');
  if (typeof etag !== 'string' || result.body === null) return sent;
  const body = Buffer.from(result.body).toString('latin1');
  const bodyHeaders = ['content-type', String(result.headers['content-type']), 'content-length', String(body.length)];
  app.pageCache.keep(key, snapshot, { operation, headers: sharedHeaders(reply), bodyHeaders, etag, body });
  return sent;
}

/** The headers that are the same for every request of the page. Headers about this request or about the body are left out. */
export function sharedHeaders(reply: FastifyReply): string[] {
  const shared = Object.entries(reply.getHeaders()).filter(
    ([name]) => !/^(x-request-id|x-ratelimit-.*|content-type|content-length|content-encoding)$/.test(name),
  );
  return shared.flatMap(([name, value]) => (value === undefined ? [] : [name, String(value)]));
}
