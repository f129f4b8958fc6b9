import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach } from 'vitest';

interface Received {
  /** The raw bytes of the body. A signature is valid only for exactly these bytes. */
  body: Buffer;
  signature: string;
}

interface Receiver {
  url: string;
  received: Received[];
  /** The statuses of the next responses. When the list is empty, the status is 200. The value 0 closes the connection. */
  statuses: number[];
}

/** A webhook endpoint that keeps what it receives. */
export function useReceiver(): Receiver {
  const receiver: Receiver = { url: '', received: [], statuses: [] };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      receiver.received.push({ body: Buffer.concat(chunks), signature: String(request.headers['stripe-signature']) });
      const status = receiver.statuses.shift() ?? 200;
      if (status === 0) request.socket.destroy();
      else response.writeHead(status).end();
    });
  });
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`;
  });
  beforeEach(() => {
    receiver.received = [];
    receiver.statuses = [];
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return receiver;
}
