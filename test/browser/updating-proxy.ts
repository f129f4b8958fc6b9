import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

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
  const server = createServer((incoming, outgoing) => {
    const { url = '', method, headers } = incoming;
    if (isRefused && url.startsWith('/v1/')) return void incoming.destroy();
    // The proxy changes a file, so the browser must not compare its copy with that of the service.
    const passed = { ...headers, 'accept-encoding': 'identity', 'if-none-match': '' };
    const asked = request(new URL(url, target), { method, headers: passed }, (response) => {
      if (version === null || url !== '/door/service-worker.js') {
        outgoing.writeHead(response.statusCode ?? 500, response.headers);
        return void response.pipe(outgoing);
      }
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => {
        const { 'content-length': _, etag: __, ...kept } = response.headers;
        outgoing.writeHead(response.statusCode ?? 500, kept);
        outgoing.end(
          Buffer.concat(parts)
            .toString()
            .replace(/"version":"\w+"/, `"version":"${version}"`),
        );
      });
    });
    incoming.pipe(asked);
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
