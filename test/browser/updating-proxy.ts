import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

interface UpdatingProxy {
  origin: string;
  /** From now on the service worker of the door app is another version. */
  publish(version: string): void;
  /** Whether requests to the API fail as if the server were away. */
  refuseApi(isRefused: boolean): void;
  close(): Promise<void>;
}

/** Stands between the browser and the service, and can publish a new version of the door app. */
export async function startUpdatingProxy(target: string): Promise<UpdatingProxy> {
  let version: string | null = null;
  let isRefused = false;
  const answer = async (response: IncomingMessage, url: string, outgoing: ServerResponse): Promise<void> => {
    const status = response.statusCode ?? 500;
    if (version === null || url !== '/door/service-worker.js') {
      outgoing.writeHead(status, response.headers);
      response.pipe(outgoing);
      return;
    }
    const script = (await text(response)).replace(/"version":"\w+"/, `"version":"${version}"`);
    outgoing.writeHead(status, { ...response.headers, 'content-length': Buffer.byteLength(script), etag: '' }).end(script);
  };
  const server = createServer((incoming, outgoing) => {
    const { url = '', method, headers } = incoming;
    if (isRefused && url.startsWith('/v1/')) {
      incoming.destroy();
      return;
    }
    // The proxy changes a file, so the browser must not compare its copy with that of the service.
    const passed = { ...headers, 'accept-encoding': 'identity', 'if-none-match': '' };
    incoming.pipe(request(new URL(url, target), { method, headers: passed }, (response) => void answer(response, url, outgoing)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    publish: (next) => {
      version = next;
    },
    refuseApi: (refused) => {
      isRefused = refused;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
