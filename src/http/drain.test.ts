import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import Fastify, { type FastifyInstance } from 'fastify';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../test/eventually.ts';
import { drain } from './drain.ts';
import { createServer } from './server.ts';

const neverMs = 86_400_000;

/** A server with a route that responds when the test says so. */
async function startServer(created?: FastifyInstance) {
  const server =
    created ?? (await createServer({ logLevel: 'silent', corsOrigins: [], trustProxy: false, rateLimit: null, loadShedding: false }));
  let respond = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    respond = resolve;
  });
  let arrived = (): void => undefined;
  const started = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  server.get('/slow', async () => {
    arrived();
    await released;
    return { done: true };
  });
  server.get('/quick', async () => ({ done: true }));
  const sockets: Socket[] = [];
  server.server.on('connection', (socket) => sockets.push(socket));
  await server.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.server.address() as AddressInfo;
  return { server, port, respond, started, sockets };
}

async function open(port: number, text = ''): Promise<{ socket: Socket; received: Promise<string> }> {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.setEncoding('utf8').on('data', (part: string) => {
    received += part;
  });
  socket.on('error', () => undefined);
  const closed = once(socket, 'close').then(() => received);
  await once(socket, 'connect');
  socket.write(text);
  return { socket, received: closed };
}

it('probes are not counted by the rate limit', async () => {
  const server = await createServer({ logLevel: 'silent', corsOrigins: [], trustProxy: false, rateLimit: 1, loadShedding: false });
  for (const path of ['/readyz', '/other']) server.get(path, async () => ({ done: true }));
  const statuses = async (path: string) => [(await server.inject(path)).statusCode, (await server.inject(path)).statusCode];
  expect(await statuses('/readyz')).toEqual([200, 200]);
  expect(await statuses('/other')).toEqual([200, 429]);
  await server.close();
});

describe('drain', () => {
  it('serves requests during the delay, and closes their connections', async () => {
    const { server, port } = await startServer();
    expect((await server.inject('/quick')).headers.connection).not.toBe('close');
    void drain(server, { delayMs: neverMs, limitMs: neverMs });
    const response = await fetch(`http://127.0.0.1:${port}/quick`);
    expect([response.status, response.headers.get('connection')]).toEqual([200, 'close']);
    await server.close();
  });

  it('closes idle connections at once, finishes the running request, and refuses others with a problem', async () => {
    const { server, port, respond, started, sockets } = await startServer();
    const idle = await open(port);
    const busy = await open(port, 'GET /slow HTTP/1.1\r\nhost: a\r\n\r\n');
    const late = await open(port, 'GET /quick HTTP/1.1\r\nhost: a\r\n');
    await started;
    await eventually('the server has read a part of the late request', () => sockets.filter(({ bytesRead }) => bytesRead > 0).length === 2);
    const drained = drain(server, { delayMs: 0, limitMs: neverMs });
    // The slow request is still running, so only `drain` can have closed this connection.
    expect(await idle.received).toBe('');
    late.socket.write('\r\n');
    const refused = await late.received;
    expect(refused).toMatch(/^HTTP\/1\.1 503 /);
    for (const header of [/^connection: close\r$/im, /^retry-after: 1\r$/im, /^content-type: application\/problem\+json/im])
      expect(refused).toMatch(header);
    expect(JSON.parse(refused.slice(refused.indexOf('{')))).toMatchObject({ code: 'unavailable', status: 503 });
    respond();
    expect(await busy.received).toMatch(/^HTTP\/1\.1 200 [^]*connection: close[^]*\{"done":true\}$/i);
    await drained;
  });

  it('the control, a plain Fastify, waits for a connection that never sent a request', async () => {
    const { server, port } = await startServer(Fastify({ forceCloseConnections: 'idle' }));
    const idle = await open(port);
    await fetch(`http://127.0.0.1:${port}/quick`, { headers: { connection: 'close' } });
    let closed = false;
    const closing = server.close().finally(() => {
      closed = true;
    });
    await fetch(`http://127.0.0.1:${port}/quick`).catch(() => undefined);
    expect(closed).toBe(false);
    idle.socket.destroy();
    await closing;
  });
});
