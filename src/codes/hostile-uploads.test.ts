import { once } from 'node:events';
import { Agent, request } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../test/eventually.ts';
import { useWorld } from '../../test/harness.ts';
import { csvForm, form } from '../../test/multipart.ts';
import { createGate } from '../accounts/gate.ts';
import { scopes } from '../app.ts';
import { mount } from '../http/mount.ts';
import { createServer } from '../http/server.ts';
import { isUploading, type UploadTimeouts } from '../http/upload.ts';
import { codesContract } from './contract.ts';
import { codes } from './routes.ts';

const world = useWorld();
const apps: FastifyInstance[] = [];

const KiB = 1_024;
const MiB = 1_024 * KiB;

/** Starts the service on a socket, with a small size limit and short timeouts. */
async function serve(maxBytes: number, uploadTimeouts: UploadTimeouts): Promise<number> {
  const app = await createServer(world.config);
  const importCodes = { ...codesContract.importCodes, upload: { ...codesContract.importCodes.upload, maxBytes } };
  const limited = { ...codes, contract: { ...codes.contract, importCodes } };
  const gate = createGate(world.db, scopes);
  mount(app, { db: world.db, gate, clock: () => world.now, serve: world.config.serve, uploadTimeouts }, [limited]);
  await app.listen({ port: 0, host: '127.0.0.1' });
  apps.push(app);
  return (app.server.address() as AddressInfo).port;
}

/** These timeouts are too long to expire in a test. Tests that need a timeout to expire set a shorter time. */
const patient: UploadTimeouts = { idleMs: 60_000, totalMs: 60_000, lingerMs: 100, rateCheckAfterMs: 60_000, minBytesPerSecond: 1 };
let port = 0;

beforeAll(async () => {
  port = await serve(MiB, patient);
});

afterAll(async () => {
  for (const app of apps) await app.close();
});

interface Outcome {
  status: number;
  detail: string;
  /** How many bytes the server accepted. */
  taken: number;
  closed: boolean;
}

/** The connections to the app, in the order in which they were opened. */
function connectionsTo(app: FastifyInstance | undefined): Socket[] {
  const sockets: Socket[] = [];
  app?.server.on('connection', (socket) => sockets.push(socket));
  return sockets;
}

const eventuallyUploading = (sockets: readonly Socket[], count: number): Promise<boolean> =>
  eventually(`${count} uploads have begun`, () => sockets.filter((socket) => !socket.destroyed && isUploading(socket)).length === count);

/** Sends the chunks with backpressure until the response has arrived and the connection is closed. */
async function send(pieces: Iterable<Buffer> | AsyncIterable<Buffer>, to = port): Promise<Outcome> {
  const { headers } = csvForm('');
  // A new connection, because the server may close a connection after an early response.
  const agent = new Agent({ keepAlive: true });
  const outgoing = request({
    agent,
    port: to,
    method: 'POST',
    path: `/v1/events/${world.event}/codes`,
    headers: { ...headers, authorization: `Bearer ${world.tokens.owner}` },
  });
  const outcome: Outcome = { status: 0, detail: '', taken: 0, closed: false };
  const closed = new Promise<void>((resolve) => {
    outgoing.on('close', () => {
      outcome.closed = true;
      resolve();
    });
  });
  outgoing.on('error', () => undefined);
  outgoing.on('response', (answer) => {
    outcome.status = answer.statusCode ?? 0;
    let text = '';
    answer.setEncoding('utf8');
    answer.on('data', (chunk: string) => {
      text += chunk;
    });
    answer.on('end', () => {
      outcome.detail = (JSON.parse(text) as { detail?: string }).detail ?? text;
    });
    answer.on('error', () => undefined);
  });
  const source = Symbol.asyncIterator in pieces ? pieces[Symbol.asyncIterator]() : pieces[Symbol.iterator]();
  for (;;) {
    const next = await Promise.race([source.next(), closed.then(() => null)]);
    if (!next || next.done || outcome.closed) break;
    outcome.taken += next.value.length;
    if (!outgoing.write(next.value)) await Promise.race([once(outgoing, 'drain').catch(() => undefined), closed]);
  }
  if (!outcome.closed) outgoing.end();
  await closed;
  agent.destroy();
  return outcome;
}

/** Generates a form that never ends. */
function* endless(start: string, piece: string): Generator<Buffer> {
  const [head] = splitForm('');
  yield Buffer.concat([head, Buffer.from(start)]);
  const again = Buffer.from(piece.repeat(Math.ceil((64 * KiB) / piece.length)));
  for (;;) yield again;
}

function splitForm(content: string): [Buffer, Buffer] {
  const mark = '#here#';
  const [before = '', after = ''] = csvForm(mark).body.toString().split(mark);
  return [Buffer.from(before + content), Buffer.from(after)];
}

const count = async (): Promise<number> => (await world.db.selectFrom('external_code').select('id').execute()).length;

/** Counts the database connections that are in a transaction. */
const busy = async (): Promise<number> =>
  (
    await world.pool.query(
      `select from pg_stat_activity where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`,
    )
  ).rowCount ?? 0;

const untilQuiet = (): Promise<boolean> => eventually('the database has nothing to do', async () => (await busy()) === 0);

describe('POST /events/{eventId}/codes with slow or endless senders', () => {
  it('returns 413 for an endless file soon after the size limit', async () => {
    const outcome = await send(endless('code,item\n', '\n'));
    expect(outcome).toMatchObject({ status: 413, closed: true });
    await untilQuiet();
    expect(await count()).toBe(0);
  });

  it('control: with a higher limit it accepts more bytes', async () => {
    const generous = await serve(32 * MiB, { ...patient, lingerMs: 0 });
    const strict = await serve(MiB, { ...patient, lingerMs: 0 });
    const much = await send(endless('code,item\n', '\n'), generous);
    const little = await send(endless('code,item\n', '\n'), strict);
    expect([much.status, little.status]).toEqual([413, 413]);
    expect(much.taken).toBeGreaterThan(32 * MiB);
    // The server accepts more than the limit, because the kernel buffers bytes too.
    expect(little.taken).toBeLessThan(20 * MiB);
  });

  it('returns 400 for endless bytes before or after the file', async () => {
    function* before(): Generator<Buffer> {
      for (;;) yield Buffer.alloc(64 * KiB, 'x');
    }
    function* after(): Generator<Buffer> {
      const { body } = csvForm('code,item\nA,Standing\n');
      yield Buffer.concat([body.subarray(0, -4), Buffer.from('\r\nContent-Type: text/plain\r\n\r\n')]);
      yield* before();
    }
    for (const pieces of [before(), after()]) {
      const outcome = await send(pieces);
      expect(outcome).toMatchObject({ status: 400, closed: true });
      expect(outcome.detail).toMatch(/more than 64 KiB besides the file/);
    }
    expect(await count()).toBe(0);
  });

  it('returns 400 for an endless row', async () => {
    const outcome = await send(endless('code,item\nA', 'a'));
    expect(outcome).toMatchObject({ status: 400, closed: true });
    expect(outcome.detail).toMatch(/line 2 is longer than 64 KiB/);
  });

  it('returns 400 for an endless header', async () => {
    expect((await send(endless('code,', 'a'))).detail).toMatch(/first line is longer/);
  });

  it('returns 413 for endless rows', async () => {
    const roomy = await serve(256 * MiB, patient);
    const outcome = await send(endless('code,item\n', 'a\n'), roomy);
    expect(outcome).toMatchObject({ status: 413, closed: true });
    expect(outcome.detail).toMatch(/1000000 rows/);
  });

  it('returns 408 to a sender that stops, and to a sender that exceeds the total time', async () => {
    const [head] = splitForm('code,item\nA,Standing\n');
    async function* silent(): AsyncGenerator<Buffer> {
      yield head;
      await new Promise(() => undefined);
    }
    async function* slow(): AsyncGenerator<Buffer> {
      yield head;
      for (;;) {
        await sleep(20);
        yield Buffer.from('B');
      }
    }
    const [noSilence, noDelay] = [await serve(MiB, { ...patient, idleMs: 300 }), await serve(MiB, { ...patient, totalMs: 600 })];
    const [one, two] = await Promise.all([send(silent(), noSilence), send(slow(), noDelay)]);
    expect(one).toMatchObject({ status: 408, closed: true });
    expect(one.detail).toMatch(/sent nothing for/);
    expect(two).toMatchObject({ status: 408, closed: true });
    expect(two.detail).toMatch(/did not arrive/);
    await untilQuiet();
    expect(await count()).toBe(0);
  });

  it('returns 408 to a sender below the minimum rate', async () => {
    const strict = await serve(MiB, { ...patient, rateCheckAfterMs: 100, minBytesPerSecond: MiB });
    const [head] = splitForm('code,item\nA,Standing\n');
    async function* trickle(): AsyncGenerator<Buffer> {
      yield head;
      for (;;) {
        await sleep(20);
        yield Buffer.from('B');
      }
    }
    const outcome = await send(trickle(), strict);
    expect(outcome).toMatchObject({ status: 408, closed: true });
    expect(outcome.detail).toMatch(/too slowly\. Send at least 1048576 bytes per second/);
    expect(await count()).toBe(0);
  });

  it('accepts an upload of another user while the stalled uploads of one user wait', async () => {
    const own = await serve(MiB, patient);
    let arrived = 0;
    apps.at(-1)?.server.on('request', () => arrived++);
    const { headers, body } = csvForm('code,item\nA,Nowhere');
    const places = codesContract.importCodes.concurrency;
    const silent = Array.from({ length: places }, () => {
      const outgoing = request({
        port: own,
        method: 'POST',
        path: `/v1/events/${world.event}/codes`,
        headers: { ...headers, authorization: `Bearer ${world.tokens.owner}` },
      });
      outgoing.on('error', () => undefined);
      outgoing.write(splitForm('code,item\n')[0]);
      return outgoing;
    });
    await expect.poll(() => arrived, { timeout: 10_000 }).toBe(places);
    await expect.poll(busy, { timeout: 10_000 }).toBeGreaterThanOrEqual(1);
    const upload = () =>
      fetch(`http://127.0.0.1:${own}/v1/events/${world.foreignEvent}/codes`, {
        method: 'POST',
        headers: { ...headers, authorization: `Bearer ${world.tokens.otherOwner}` },
        body,
        signal: AbortSignal.timeout(20_000),
      });
    expect((await upload()).status).toBe(422);
    for (const outgoing of silent) outgoing.destroy();
    await untilQuiet();
  });

  it("does not apply Node's request timeout to a running upload, but applies it to other requests", async () => {
    const [app] = apps;
    const sockets = connectionsTo(app);
    let requests = 0;
    app?.server.on('request', () => requests++);
    const limit = () =>
      app?.server.emit('clientError', Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), sockets.at(-1));
    const [head, tail] = splitForm('code,item\n');
    async function* goingOn(): AsyncGenerator<Buffer> {
      yield head;
      await eventuallyUploading(sockets, 1);
      limit();
      yield Buffer.concat([Buffer.from('A,Nowhere\n'), tail]);
    }
    expect(await send(goingOn())).toMatchObject({ status: 422 });
    const other = request({
      port,
      method: 'DELETE',
      path: `/v1/events/${world.event}/codes`,
      headers: { 'content-type': 'application/json', 'content-length': '2', authorization: `Bearer ${world.tokens.owner}` },
    });
    other.on('error', () => undefined);
    other.write('{');
    await eventually('the other request has come', () => requests === 2);
    limit();
    const [answer] = (await once(other, 'response')) as [{ statusCode: number; resume(): void }];
    expect(answer.statusCode).toBe(408);
    answer.resume();
    other.destroy();
  });

  it('stores nothing when the connection is cut', async () => {
    const { headers } = csvForm('');
    const sockets = connectionsTo(apps[0]);
    for (const content of ['', 'code,it', `code,item\n${'A,Standing\n'.repeat(5_000)}`]) {
      const outgoing = request({
        port,
        method: 'POST',
        path: `/v1/events/${world.event}/codes`,
        headers: { ...headers, authorization: `Bearer ${world.tokens.owner}` },
      });
      outgoing.on('error', () => undefined);
      outgoing.write(splitForm(content)[0]);
      await eventuallyUploading(sockets, 1);
      outgoing.destroy();
      await eventually('the service has seen it', () => sockets.at(-1)?.destroyed);
    }
    await untilQuiet();
    expect(await count()).toBe(0);
    expect(await send([csvForm('code,item\nA,Nowhere').body])).toMatchObject({ status: 422 });
  });

  it('frees the place in the queue when a waiting client disconnects', async () => {
    const own = await serve(MiB, patient);
    const sockets = connectionsTo(apps.at(-1));
    const { headers } = csvForm('');
    const open = () => {
      const outgoing = request({
        port: own,
        method: 'POST',
        path: `/v1/events/${world.event}/codes`,
        headers: { ...headers, authorization: `Bearer ${world.tokens.owner}` },
      });
      outgoing.on('error', () => undefined);
      outgoing.write(splitForm('code,item\n')[0]);
      return outgoing;
    };
    const places = Array.from({ length: codesContract.importCodes.concurrency }, open);
    await eventuallyUploading(sockets, places.length);
    const waiting = Array.from({ length: 5 }, open);
    await eventuallyUploading(sockets, places.length + waiting.length);
    for (const outgoing of [...waiting, ...places]) outgoing.destroy();
    expect(await send([csvForm('code,item\nA,Nowhere').body], own)).toMatchObject({ status: 422 });
    await untilQuiet();
  });

  it('returns 503 when the database connection is cut, and accepts the next upload', async () => {
    const [head] = splitForm('code,item\nA,Standing\n');
    async function* waiting(): AsyncGenerator<Buffer> {
      yield Buffer.concat([head, Buffer.from('B,Standing\n'.repeat(10_000))]);
      const copying = `from pg_stat_activity where query like 'copy code_upload%' and state = 'active'`;
      await eventually('rows are being copied', async () => (await world.pool.query(`select ${copying}`)).rowCount === 1);
      await world.pool.query(`select pg_terminate_backend(pid) ${copying}`);
      yield Buffer.from('C,Standing\n');
    }
    expect(await send(waiting())).toMatchObject({ status: 503 });
    expect(await send([csvForm('code,item\nA,Nowhere').body])).toMatchObject({ status: 422 });
  });
});

describe('POST /events/{eventId}/codes with invalid files', () => {
  const valid = 'code,item\nA,Standing\n';
  const utf16 = Buffer.from(valid, 'utf16le');
  const cases: [string, string | Buffer, RegExp][] = [
    ['UTF-16 with a byte order mark', Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]), /UTF-16/],
    ['big-endian UTF-16', Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(utf16).swap16()]), /UTF-16/],
    ['UTF-16 without a byte order mark', utf16, /NUL.*UTF-16/],
    ['Latin-1', Buffer.from('code,item,name\nA,Standing,João\n', 'latin1'), /Line 2 is not UTF-8/],
    ['Latin-1 in the header', Buffer.from('código,item\nA,Standing\n', 'latin1'), /Line 1 is not UTF-8/],
    ['a NUL byte', 'code,item\nA\0,Standing\n', /Line 2 has NUL/],
    ['arbitrary bytes', Buffer.from(Array.from({ length: 5_000 }, (_, i) => (i * 7_919 + 131) % 256)), /./],
    ['gzip', gzipSync(valid), /gzip/],
    ['a spreadsheet', Buffer.from('PK\x03\x04 and so on'), /spreadsheet/],
    ['a quote that is never closed', 'code,item\n"A,Standing\nB,Standing\n', /line 2 is never closed/],
    ['a quote that is never closed in a large file', `code,item\nA,"Standing\n${'B,Standing\n'.repeat(10_000)}`, /quote in line 2/],
    ['no header', 'A,Standing\nB,Standing\n', /no column "code"/],
    ['a column twice', 'code,item,Code\nA,Standing,B\n', /twice: "Code"/],
    ['both ways to name the item', 'code,item,itemId\nA,Standing,1\n', /one of the columns/],
    ['no way to name the item', 'code,name\nA,Ana\n', /one of the columns/],
    [
      'unknown columns',
      'code,item,sesion,preço\nA,Standing,Night,1\n',
      /Unknown columns: "sesion", "preço". Known columns are code, itemId/,
    ],
    ['another delimiter', 'code\titem\nA\tStanding\n', /no column "code"/],
    ['JSON', '{"codes": ["A", "B"]}', /no column "code"/],
    ['HTML', '<!doctype html><html>', /no column "code"/],
  ];

  it.each(cases)('returns 400 for %s', async (_, content, detail) => {
    const outcome = await send([csvForm(content).body]);
    expect(outcome.status).toBe(400);
    expect(outcome.detail).toMatch(detail);
    expect(await count()).toBe(0);
  });

  it.each(['../../etc/passwd', '..\\\\..\\\\windows', '/tmp/../x.csv'])('returns 400 for the file name %s', async (filename) => {
    const outcome = await send([form([{ filename, content: valid }]).body]);
    expect([outcome.status, outcome.detail]).toEqual([400, expect.stringContaining('without a path')]);
    expect(await count()).toBe(0);
  });

  it('returns 422 with the total number when 60,000 rows have errors', async () => {
    const roomy = await serve(64 * MiB, { ...patient, idleMs: 10_000, totalMs: 60_000 });
    const rows = Array.from({ length: 60_000 }, (_, i) => (i % 2 ? `A,Nowhere ${i}\n` : `"B"x,${i}\n`)).join('');
    const outcome = await send([csvForm(`code,item\n${rows}`).body], roomy);
    expect(outcome.status).toBe(422);
    expect(outcome.detail).toMatch(/60000 errors, the first in line 2/);
    expect(await count()).toBe(0);
  });
});

describe('POST /events/{eventId}/codes from other clients', () => {
  it('returns 201 for fetch with FormData, which chooses its own boundary', async () => {
    const data = new FormData();
    data.append('file', new Blob(['code,item\nA,Standing\n']), 'codes.csv');
    const answer = await fetch(`http://127.0.0.1:${port}/v1/events/${world.event}/codes`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.tokens.owner}` },
      body: data,
    });
    expect([answer.status, await answer.json()]).toEqual([201, expect.objectContaining({ imported: 1 })]);
    await world.db.deleteFrom('external_code').execute();
  });

  it('returns 201 for a body in chunks of one byte, and for a body split at any position', async () => {
    const { body } = csvForm('\ufeffcode;item;name\r\n"A ""x""";Standing;"João; Ana"\r\nB;Standing;\r\n');
    for (const size of [1, 2, 3, 7, 50]) {
      const pieces = Array.from({ length: Math.ceil(body.length / size) }, (_, i) => body.subarray(i * size, (i + 1) * size));
      expect((await send(pieces)).status).toBe(201);
      const rows = await world.db.selectFrom('external_code').select(['code', 'holder_name']).orderBy('id').execute();
      expect(rows).toEqual([
        { code: 'A "x"', holder_name: 'João; Ana' },
        { code: 'B', holder_name: null },
      ]);
      await world.db.deleteFrom('external_code').execute();
    }
  });
});
