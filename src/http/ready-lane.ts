import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { matches } from './etag.ts';
import type { ReadyPages } from './ready-pages.ts';

export interface ReadyServed {
  requestId: string;
  operation: string;
  status: 200 | 304;
}

/** What comes with the request may change the answer: then it takes the long way. */
const mattersToAnswer = ['authorization', 'content-length', 'transfer-encoding', 'expect'] as const;

/** Under which a page is kept: the address and the origin that asks, whose answers differ in their headers. */
export function pageKey(request: IncomingMessage): string | null {
  const { method, url = '', headers } = request;
  if (method !== 'GET' || mattersToAnswer.some((name) => headers[name] !== undefined)) return null;
  return headers.origin === undefined ? url : `${url} ${headers.origin}`;
}

export interface ReadyLane {
  /** Whether the page was ready, and is answered. */
  answer(request: IncomingMessage, response: ServerResponse): boolean;
  /** From now on everything takes the long way, which knows how to end. */
  close(): void;
}

/**
 * Answers pages that are ready before anything else is done: on a hot day they are nearly all there is, and everything on the
 * long way costs more than they do, also counting and limiting them.
 */
export function readyLane(pages: ReadyPages, onServed: (served: ReadyServed) => void): ReadyLane {
  let open = true;

  function answer(request: IncomingMessage, response: ServerResponse): boolean {
    const key = open ? pageKey(request) : null;
    const page = key === null ? undefined : pages.find(key);
    if (!page) return false;
    const requestId = randomUUID();
    const known = request.headers['if-none-match'];
    const unchanged = known !== undefined && matches(known, page.etag);
    if (unchanged) response.writeHead(304, ['x-request-id', requestId, ...page.headers]).end();
    else response.writeHead(200, ['x-request-id', requestId, ...page.headers, ...page.bodyHeaders]).end(page.body, 'latin1');
    onServed({ requestId, operation: page.operation, status: unchanged ? 304 : 200 });
    return true;
  }

  return {
    answer,
    close() {
      open = false;
    },
  };
}
