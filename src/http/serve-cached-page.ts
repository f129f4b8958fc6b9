import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { basePath } from './base-path.ts';
import { acceptedEncoding } from './content-encoding.ts';
import { matches } from './etag.ts';
import type { PageCache } from './page-cache.ts';

export interface CachedPageServed {
  requestId: string;
  operation: string;
  status: 200 | 304;
  headers: IncomingHttpHeaders;
}

/** Requests with these headers may get another response, so they are never served from the cache. */
const uncachedHeaders = ['authorization', 'content-length', 'transfer-encoding', 'expect'] as const;

/** All query parameters that pages of the web apps read. */
const pageParameters: ReadonlySet<string> = new Set([
  'admitted',
  'category',
  'change',
  'cursor',
  'from',
  'lang',
  'notice',
  'number',
  'passkey',
  'preview',
  'q',
  'secret',
  'session',
  'state',
  'to',
  'token',
]);

/** Whether a page may depend on this query parameter. Others, such as those that advertisements add to links, must not make another page of it. */
export const isPageParameter = (name: string): boolean => pageParameters.has(name);

/** The address of a page with only the query parameters that it may depend on. */
function pageAddress(url: string): string {
  const start = url.indexOf('?');
  if (start === -1) return url;
  const query = url
    .slice(start + 1)
    .split('&')
    .map((part) => ({ part, name: part.split('=', 1)[0] ?? '' }))
    // A name with escaped characters may be one of the names.
    .filter(({ name }) => isPageParameter(name) || name.includes('%'))
    .map(({ part }) => part);
  return query.length === 0 ? url.slice(0, start) : `${url.slice(0, start)}?${query.join('&')}`;
}

/**
 * The cache key of a request: its URL, its origin, because CORS headers depend on the origin, and for pages of the web apps the encoding of
 * the response. Null when the response cannot be cached.
 */
export function pageKey(request: IncomingMessage): string | null {
  const { method, url = '', headers } = request;
  if (method !== 'GET' || uncachedHeaders.some((name) => headers[name] !== undefined)) return null;
  const key = url.startsWith(apiPrefix) ? url : `${pageAddress(url)} ${acceptedEncoding(headers['accept-encoding'])}`;
  return headers.origin === undefined ? key : `${key} ${headers.origin}`;
}

/** Responses of the API are not compressed here. */
const apiPrefix = `${basePath}/`;

export interface CachedPageServer {
  /** Returns true when the page was in the cache and the response was sent. */
  serve(request: IncomingMessage, response: ServerResponse): boolean;
  /** Stops serving from the cache. Then all requests go through Fastify, which closes the connections when the server stops. */
  close(): void;
}

/**
 * Serves cached pages before Fastify handles the request. During an on-sale most requests are for such pages, and routing is slower than
 * sending them.
 */
export function serveCachedPages(pages: PageCache, onServed: (served: CachedPageServed) => void): CachedPageServer {
  let open = true;

  function serve(request: IncomingMessage, response: ServerResponse): boolean {
    const key = open ? pageKey(request) : null;
    const page = key === null ? undefined : pages.find(key);
    if (!page) return false;
    const requestId = randomUUID();
    const ifNoneMatch = request.headers['if-none-match'];
    const unchanged = ifNoneMatch !== undefined && matches(ifNoneMatch, page.etag);
    if (unchanged) response.writeHead(304, ['x-request-id', requestId, ...page.headers]).end();
    else response.writeHead(200, ['x-request-id', requestId, ...page.headers, ...page.bodyHeaders]).end(page.body, 'latin1');
    onServed({ requestId, operation: page.operation, status: unchanged ? 304 : 200, headers: request.headers });
    return true;
  }

  return {
    serve,
    close() {
      open = false;
    },
  };
}
