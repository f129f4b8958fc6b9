import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from 'node:net';
import { join } from 'node:path';

export interface TcpProxy {
  port: number;
  /** New connections lead to this target. Open connections are closed. */
  leadTo(target: NetConnectOpts): void;
  /** From now on, the proxy forwards nothing on its open connections, and does not close them. New connections work. */
  silenceOpen(): void;
  close(): Promise<void>;
}

/** A TCP proxy that can drop all bytes, as a network does when an address moves to another machine. */
export async function startTcpProxy(first: NetConnectOpts): Promise<TcpProxy> {
  let target = first;
  const pairs = new Set<readonly [Socket, Socket]>();
  const server = createServer((client) => {
    const upstream = connect(target);
    const pair = [client, upstream] as const;
    pairs.add(pair);
    for (const [from, to] of [pair, [upstream, client]] as const) {
      from.on('error', () => undefined);
      from.on('close', () => to.destroy());
      from.pipe(to);
    }
    client.on('close', () => pairs.delete(pair));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const closeAll = () => {
    for (const sockets of pairs) for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    leadTo(next) {
      target = next;
      closeAll();
    },
    silenceOpen() {
      for (const [client, upstream] of pairs) {
        client.unpipe().pause();
        upstream.unpipe().pause();
      }
    },
    async close() {
      closeAll();
      server.close();
      await once(server, 'close');
    },
  };
}

export interface SilentProxy extends Pick<TcpProxy, 'silenceOpen' | 'close'> {
  /** The URL of the same database through the proxy. */
  url: string;
}

/** A TCP proxy in front of the database of the test. */
export async function startSilentProxy(databaseUrl: string): Promise<SilentProxy> {
  const url = new URL(databaseUrl);
  const proxy = await startTcpProxy({ path: join(url.searchParams.get('host') ?? '', '.s.PGSQL.5432') });
  url.searchParams.delete('host');
  url.hostname = '127.0.0.1';
  url.port = String(proxy.port);
  return { url: url.href, silenceOpen: proxy.silenceOpen, close: proxy.close };
}
