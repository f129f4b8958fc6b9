import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type Client, type ClientOptions, createClient } from '../src/index.ts';

interface Seen {
  line: string;
  headers: IncomingHttpHeaders;
  body: string;
}

type Reply = (response: ServerResponse, request: IncomingMessage) => void;

export interface Script {
  base: string;
  seen: Seen[];
  /** What the next requests are answered with, in order; the last one goes on for ever. */
  plays(...replies: Reply[]): void;
  client(options?: Partial<ClientOptions>): Client;
}

export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Reply =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

export const problem = (status: number, code: string, headers: Record<string, string> = {}): Reply =>
  json(status, { type: `urn:tessera:problem:${code}`, title: code, status, code, detail: code, requestId: 'r' }, headers);

/** The connection is lost before an answer comes. */
export const hangUp: Reply = (response) => void response.destroy();

/** Nothing ever comes. */
export const silence: Reply = () => undefined;

/** A small real server that answers what it is told to. Call it once at the top of a test file. */
export function useScript(): Script {
  let replies: Reply[] = [];
  const server = createServer((request, response) => void answer(request, response));
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const reply = replies.length > 1 ? replies.shift() : replies[0];
    const body = await text(request).catch(() => 'cut off');
    script.seen.push({ line: `${request.method} ${request.url}`, headers: request.headers, body });
    reply?.(response, request);
  }
  const script: Script = {
    base: '',
    seen: [],
    plays: (...next) => {
      replies = next;
    },
    client: (options = {}) => createClient({ environment: 'local', hosts: script.base, ...options }),
  };
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    script.base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  });
  beforeEach(() => {
    script.seen = [];
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return script;
}
