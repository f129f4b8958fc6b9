import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type Client, type ClientOptions, createClient } from '../src/index.ts';

interface ReceivedRequest {
  line: string;
  headers: IncomingHttpHeaders;
  body: string;
}

type Reply = (response: ServerResponse, request: IncomingMessage) => void;

export interface ScriptedServer {
  base: string;
  /** The requests of the running test, in order. */
  requests: ReceivedRequest[];
  /** Sets the replies to the next requests, in order. The last reply is used for all further requests. */
  replyWith(...replies: Reply[]): void;
  client(options?: Partial<ClientOptions>): Client;
}

export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Reply =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

export const problem = (status: number, code: string, headers: Record<string, string> = {}): Reply =>
  json(status, { type: `urn:tessera:problem:${code}`, title: code, status, code, detail: code, requestId: 'r' }, headers);

/** Closes the connection without a response. */
export const hangUp: Reply = (response) => void response.destroy();

/** Never responds. */
export const noReply: Reply = () => undefined;

/** Starts a small HTTP server whose replies the test chooses. Call it once at the top of a test file. */
export function useScriptedServer(): ScriptedServer {
  let replies: Reply[] = [];
  const http = createServer((request, response) => void answer(request, response));
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const reply = replies.length > 1 ? replies.shift() : replies[0];
    const body = await text(request).catch(() => 'cut off');
    server.requests.push({ line: `${request.method} ${request.url}`, headers: request.headers, body });
    reply?.(response, request);
  }
  const server: ScriptedServer = {
    base: '',
    requests: [],
    replyWith: (...next) => {
      replies = next;
    },
    client: (options = {}) => createClient({ environment: 'local', hosts: server.base, ...options }),
  };
  beforeAll(async () => {
    http.listen(0, '127.0.0.1');
    await once(http, 'listening');
    server.base = `http://127.0.0.1:${(http.address() as AddressInfo).port}/v1`;
  });
  beforeEach(() => {
    server.requests = [];
  });
  afterAll(() => {
    http.closeAllConnections();
    http.close();
  });
  return server;
}
