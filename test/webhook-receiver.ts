import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll } from 'vitest';
import { selfSigned } from './certificate.ts';

export interface ReceivedMessage {
  id: string;
  signature: string;
  body: string;
  message: { type: string; timestamp: string; version: number; data: Record<string, unknown> | null };
}

export interface Receiver {
  url: string;
  received: ReceivedMessage[];
  /** Responds to a request. By default with 200. A receiver that does not respond leaves the request open. */
  respond: (response: ServerResponse, message: ReceivedMessage) => void;
  /** Verifies the signature of a message with a secret, as a receiver does. Throws if it is wrong. */
  verify(message: ReceivedMessage, secret: string, at: Date): void;
  /** Stops listening and closes all connections. `start` listens on the same port again. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** Creates a server that stores the webhooks that it gets. */
export function createReceiver({ tls = false, host = '127.0.0.1' }: { tls?: boolean; host?: string } = {}): Receiver {
  const server: Server = tls ? createTlsServer(selfSigned()) : createServer();
  let port = 0;
  const receiver: Receiver = {
    url: '',
    received: [],
    respond: (response) => response.end('ok'),
    verify: ({ id, signature, body }, secret, at) => {
      const timestamp = String(Math.floor(at.getTime() / 1000));
      // `verify` of the library compares with the clock of the machine, and tests have their own time.
      const expected = new Webhook(secret).sign(id, new Date(Number(timestamp) * 1000), body);
      if (!signature.split(' ').includes(expected)) throw new Error('The signature is wrong');
    },
    async start() {
      server.listen(port, host);
      await once(server, 'listening');
      port = (server.address() as AddressInfo).port;
      receiver.url = `${tls ? 'https' : 'http'}://${host}:${port}/hook`;
    },
    async stop() {
      if (!server.listening) return;
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  server.on('request', (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const header = (name: string) => String(request.headers[name] ?? '');
      const message = { id: header('webhook-id'), signature: header('webhook-signature'), body, message: JSON.parse(body) };
      receiver.received.push(message);
      receiver.respond(response, message);
    });
  });
  return receiver;
}

/** Starts a receiver for a test file. */
export function useReceiver(options?: Parameters<typeof createReceiver>[0]): Receiver {
  const receiver = createReceiver(options);
  beforeAll(() => receiver.start());
  afterAll(() => receiver.stop());
  return receiver;
}
