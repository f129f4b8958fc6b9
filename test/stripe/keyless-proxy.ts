import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse, request as sendRequest } from 'node:http';
import type { AddressInfo } from 'node:net';

interface KeylessProxy {
  origin: string;
  close(): Promise<void>;
}

/** Forwards requests without their `Idempotency-Key`. With it, tests prove that they detect double charges. */
export async function startKeylessProxy(target: string): Promise<KeylessProxy> {
  const server = createServer((request, response) => forward(target, request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function forward(target: string, request: IncomingMessage, response: ServerResponse): void {
  const { 'idempotency-key': _key, ...headers } = request.headers;
  const cut = () => request.socket.destroy();
  const forwarded = sendRequest(new URL(request.url ?? '/', target), { method: request.method, headers, agent: false }, (received) => {
    response.writeHead(received.statusCode ?? 502, received.headers);
    received.on('error', cut).pipe(response);
  });
  request.pipe(forwarded.on('error', cut));
}
