import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Dice } from '../random.ts';
import { faultsOf, type Seen } from './answers.ts';

export interface RawCase {
  name: string;
  bytes: Buffer;
  /** Whether the client closes the connection before the request is complete. There is no response to check then. */
  cut: boolean;
  /** The number of responses to wait for. The server may also close the connection earlier. */
  answers: number;
  /** Whether a 2xx response is also correct, for example for a valid request that precedes the invalid bytes. */
  mayReturn2xx: boolean;
  /** Whether Node itself refuses the request. The response then has only a status, because the request does not reach our code. */
  statusOnly: boolean;
  /** The positions at which the bytes are split into packets. */
  splitPositions: number[];
}

type Make = (dice: Dice) => string | Buffer;
type Options = Partial<Pick<RawCase, 'cut' | 'answers' | 'mayReturn2xx' | 'statusOnly'>>;

const get = (path: string, headers = ''): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
const post = (headers: string, body: string): string =>
  `POST /v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${headers}\r\n${body}`;
const chunked = (body: string): string => post('Transfer-Encoding: chunked\r\n', body);
const bytesOf = (dice: Dice, length: number): Buffer => Buffer.from(Array.from({ length }, () => dice.below(256)));
const sized = (body: Buffer): Buffer => Buffer.concat([Buffer.from(post(`Content-Length: ${body.length}\r\n`, '')), body]);

const cases: [string, Make, Options?][] = [
  // Bytes that are not HTTP.
  ['random bytes', (dice) => Buffer.concat([Buffer.from([0x80 | dice.below(128)]), bytesOf(dice, 50 + dice.below(2_000))])],
  ['random printable', (dice) => `${Array.from({ length: 200 }, () => String.fromCharCode(33 + dice.below(90))).join('')}\r\n\r\n`],
  ['a TLS hello', (dice) => Buffer.concat([Buffer.from('1603010200010001fc0303', 'hex'), bytesOf(dice, 500)])],
  ['SSH', () => 'SSH-2.0-OpenSSH_9.6\r\n'],
  ['SMTP', () => 'EHLO mail.example\r\n'],
  ['PostgreSQL', () => Buffer.from('000000080004d2162f', 'hex')],
  ['NULs', () => '\0'.repeat(100)],
  ['JSON', () => '{"email":"a"}\r\n\r\n'],
  ['HTTP/2 preface', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0'],
  ['an answer', () => 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'],
  // Requests with an invalid request line.
  ['HTTP/0.9', () => 'GET /healthz\r\n\r\n', { mayReturn2xx: true }],
  ['no version', () => 'GET /healthz \r\nHost: x\r\n\r\n'],
  ['bad version', (dice) => `GET /healthz HTTP/${dice.pick(['9.9', '1.2', '1', '1.1.1', 'x', '-1', '11'])}\r\nHost: x\r\n\r\n`],
  ['HTTP/2.0 in the request line', () => 'GET /healthz HTTP/2.0\r\nHost: x\r\n\r\n', { mayReturn2xx: true }],
  ['bad protocol', (dice) => `GET /healthz ${dice.pick(['HTTPS/1.1', 'http/1.1', 'HTTP', 'ICE/1.0x', 'x'])}\r\nHost: x\r\n\r\n`],
  [
    'bad method',
    (dice) => `${dice.pick(['BREW', 'get', 'GETT', 'G\0T', 'GÉT', '', ' ', '(', 'POST,'])} /healthz HTTP/1.1\r\nHost: x\r\n\r\n`,
  ],
  ['two blanks', () => 'GET  /healthz  HTTP/1.1\r\nHost: x\r\n\r\n', { mayReturn2xx: true }],
  ['blanks in the path', () => get('/a b c')],
  ['no path', () => 'GET HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['NUL in the path', () => get('/v1/users/\0')],
  ['control characters in the path', (dice) => get(`/v1/users/${String.fromCharCode(1 + dice.below(8))}`)],
  ['a path without slash', () => get('healthz')],
  ['raw UTF-8 in the path', () => get('/v1/users/é😀')],
  ['raw Latin-1 in the path', () => Buffer.from(get('/v1/users/\xe9\xff'), 'latin1')],
  ['bad escapes', (dice) => get(`/v1/users/${dice.pick(['%', '%zz', '%E0%A4%A', '%C0%80', '%ff', '%00', '%2', '%u1234'])}`)],
  [
    'dots',
    (dice) =>
      get(dice.pick(['/v1/../../etc/passwd', '/v1/users/../x', '/./v1/none', '/v1/users/..%2f..', '/..', '//v1//users', '/v1\\users'])),
  ],
  [
    'a whole address',
    (dice) => get(dice.pick(['http://evil.example/v1/none', 'http://', 'ftp://x/', 'http://[::1', 'http://a:b@c:99999/', '//', '///x'])),
  ],
  ['odd targets', (dice) => get(dice.pick(['/v1/none#x', '/v1?', '/v1?#', '/v1?/users', '/;', '/*', '/v1/users?%', '/%%%%?%%%%']))],
  ['a star', (dice) => `${dice.pick(['OPTIONS', 'GET', 'DELETE'])} * HTTP/1.1\r\nHost: x\r\n\r\n`, { mayReturn2xx: true }],
  ['CONNECT', (dice) => `CONNECT ${dice.pick(['x:443', '/v1/users', 'x', ':'])} HTTP/1.1\r\nHost: x\r\n\r\n`],
  ['a very long path', (dice) => get(`/v1/users/${'1'.repeat(dice.pick([501, 5_000, 15_000, 17_000, 200_000]))}`)],
  ['a very long query', (dice) => get(`/v1/none?a=${'%41'.repeat(dice.pick([100, 5_000, 100_000]))}`)],
  ['a very long method', () => `${'A'.repeat(100_000)} / HTTP/1.1\r\nHost: x\r\n\r\n`],
  // Requests with invalid headers.
  ['no Host', () => 'GET /v1/none HTTP/1.1\r\n\r\n', { statusOnly: true }],
  ['two Hosts', () => get('/v1/none', 'Host: y\r\n')],
  ['a bad Host', (dice) => `GET /v1/none HTTP/1.1\r\nHost: ${dice.pick(['', 'a b', '[::1', 'x:99999', 'x\0y', '/', '@'])}\r\n\r\n`],
  ['one huge header', (dice) => get('/healthz', `X: ${'a'.repeat(dice.pick([16_384, 20_000, 1_000_000]))}\r\n`)],
  ['a huge name', () => get('/healthz', `${'X'.repeat(50_000)}: a\r\n`)],
  ['many headers', (dice) => get('/v1/none', Array.from({ length: dice.pick([500, 3_000, 50_000]) }, (_, i) => `x${i}: a\r\n`).join(''))],
  ['one header many times', () => get('/v1/none', 'Cookie: a=b\r\n'.repeat(1_000))],
  ['no colon', () => get('/healthz', 'Nonsense\r\n')],
  ['no name', () => get('/healthz', ': x\r\n')],
  ['a blank before the colon', () => get('/healthz', 'X : y\r\n')],
  ['a folded header', () => get('/v1/none', 'X: y\r\n z\r\n')],
  ['a header that begins with a blank', () => 'GET /healthz HTTP/1.1\r\n X: y\r\nHost: x\r\n\r\n'],
  ['NUL in a header', () => get('/healthz', 'X: a\0b\r\n')],
  ['bare CR in a header', () => get('/healthz', 'X: a\rb\r\n')],
  ['bare LF', () => 'GET /healthz HTTP/1.1\nHost: x\n\n'],
  ['only CR', () => 'GET /healthz HTTP/1.1\rHost: x\r\r'],
  ['bad characters in a name', (dice) => get('/healthz', `X${dice.pick(['é', '(', '\0', '\t', '"', '{'])}: y\r\n`)],
  ['Latin-1 in Authorization', () => Buffer.from(get('/v1/auth/me', 'Authorization: Bearer \xe9\xff\r\n'), 'latin1')],
  [
    'an empty Idempotency-Key',
    (dice) => post(`Content-Length: 2\r\nIdempotency-Key: ${dice.pick(['', 'a b', '\x80', 'x'.repeat(300)])}\r\n`, '{}'),
  ],
  ['Expect', (dice) => post(`Expect: ${dice.pick(['x', '200-ok', ''])}\r\nContent-Length: 2\r\n`, '{}'), { statusOnly: true }],
  ['Expect a go-ahead', () => post('Expect: 100-continue\r\nContent-Length: 1\r\n', '{')],
  ['an upgrade', (dice) => get('/v1/none', `Connection: Upgrade\r\nUpgrade: ${dice.pick(['websocket', 'h2c', 'x', 'TLS/1.0'])}\r\n`)],
  // Requests with an invalid length or invalid chunks.
  [
    'length and chunks',
    () => post('Content-Length: 5\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'),
  ],
  ['chunks and length', () => post('Transfer-Encoding: chunked\r\nContent-Length: 5\r\n', '2\r\n{}\r\n0\r\n\r\n')],
  ['two lengths', () => post('Content-Length: 2\r\nContent-Length: 3\r\n', '{}')],
  ['the same length twice', () => post('Content-Length: 2\r\nContent-Length: 2\r\n', '{}')],
  [
    'a bad length',
    (dice) =>
      post(`Content-Length: ${dice.pick(['-1', '+2', 'x', '2 2', '2, 2', '0x2', '2.0', '1e3', '99999999999999999999999', ''])}\r\n`, '{}'),
  ],
  [
    'a length above the limit',
    (dice) => post(`Content-Length: ${dice.pick(['1048577', '9007199254740993', '999999999999'])}\r\n`, '{"a":'),
  ],
  ['more than the length', () => post('Content-Length: 2\r\n', '{}garbage\r\n\r\n'), { answers: 2 }],
  [
    'bad coding',
    (dice) =>
      post(
        `Transfer-Encoding: ${dice.pick(['xchunked', 'chunked, gzip', 'gzip', 'identity', 'chunked chunked', '\x0bchunked', ''])}\r\n`,
        '2\r\n{}\r\n0\r\n\r\n',
      ),
  ],
  ['coding twice', () => post('Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n', '2\r\n{}\r\n0\r\n\r\n')],
  [
    'a bad chunk size',
    (dice) => chunked(`${dice.pick(['x', '-1', '0x2', '2 2', '', ' ', 'FFFFFFFFFFFFFFFFF', 'g', '\0'])}\r\n{}\r\n0\r\n\r\n`),
  ],
  ['a chunk without its end', () => chunked('2\r\n{}0\r\n\r\n')],
  ['a chunk longer than its size', () => chunked('1\r\n{}\r\n0\r\n\r\n')],
  ['a huge chunk extension', (dice) => chunked(`2;${'a'.repeat(dice.pick([17_000, 100_000]))}\r\n{}\r\n0\r\n\r\n`)],
  ['bad chunk ends', () => chunked('2\n{}\n0\n\n')],
  ['a bad trailer', () => chunked('2\r\n{}\r\n0\r\nnonsense\r\n\r\n')],
  ['a huge trailer', () => chunked(`2\r\n{}\r\n0\r\nX: ${'a'.repeat(50_000)}\r\n\r\n`)],
  ['endless chunks', () => chunked(`${`400\r\n${'a'.repeat(1_024)}\r\n`.repeat(1_200)}0\r\n\r\n`)],
  // Requests with an invalid body.
  [
    'not UTF-8',
    (dice) =>
      sized(Buffer.concat([Buffer.from('{"email":"'), bytesOf(dice, 20).map((byte) => byte | 0x80), Buffer.from('","password":"x"}')])),
  ],
  ['overlong UTF-8', () => sized(Buffer.from('7b22656d61696c223a22c0af227d', 'hex'))],
  ['UTF-16', () => sized(Buffer.from('\ufeff{"email":"a","password":"b"}', 'utf16le'))],
  ['random body', (dice) => sized(bytesOf(dice, 1 + dice.below(5_000)))],
  ['deep body', () => sized(Buffer.from('['.repeat(200_000)))],
  ['deep closed body', () => sized(Buffer.from(`${'['.repeat(200_000)}${']'.repeat(200_000)}`))],
  ['a body above the limit', () => sized(Buffer.from(`"${'a'.repeat(1_100_000)}"`))],
  // Several requests in one packet.
  [
    'garbage after a good request',
    (dice) => Buffer.concat([Buffer.from(get('/healthz')), Buffer.from([0x80]), bytesOf(dice, 200)]),
    { answers: 2, mayReturn2xx: true },
  ],
  ['half a request after a valid request', () => `${get('/healthz')}GET /hea`, { cut: true, mayReturn2xx: true }],
  [
    'an invalid request between valid requests',
    () => `${get('/healthz')}GET /x HTTP/7\r\n\r\n${get('/healthz')}`,
    { answers: 2, mayReturn2xx: true },
  ],
  ['a hundred at once', () => get('/v1/none').repeat(100), { answers: 100 }],
  // The client closes the connection early.
  ['nothing at all', () => '', { cut: true }],
  ['half a request line', () => 'GET /v1/use', { cut: true }],
  ['half the headers', () => 'GET /v1/users HTTP/1.1\r\nHost: x\r\nAuthoriza', { cut: true }],
  ['half the body', () => post('Content-Length: 1000\r\n', '{"email":"a'), { cut: true }],
  ['half a chunk', () => chunked('ff\r\n{"email":"a'), { cut: true }],
  ['blank lines', () => '\r\n'.repeat(50), { cut: true }],
];

const rounds = 4;

/** Returns each case several times, with different random bytes and different positions of the splits. */
export function rawCases(seed: number): RawCase[] {
  return Array.from({ length: rounds }, (_, round) =>
    cases.map(([name, make, options = {}], i): RawCase => {
      const dice = new Dice(seed, round * cases.length + i);
      const made = make(dice);
      const bytes = typeof made === 'string' ? Buffer.from(made) : made;
      const splitPositions = Array.from({ length: dice.below(4) }, () => dice.below(bytes.length + 1)).toSorted((a, b) => a - b);
      return { name, bytes, cut: false, answers: 1, mayReturn2xx: false, statusOnly: false, ...options, splitPositions };
    }),
  ).flat();
}

/** Sends the bytes and returns the faults of the responses. The server must refuse the bytes or close the connection. */
export async function sendRaw(port: number, one: RawCase, deadlineMs: number): Promise<string[]> {
  const { received, closed } = await exchange(port, one, deadlineMs);
  const answers = readAnswers(received).filter(({ status }) => status >= 200);
  const faults = answers.flatMap((answer) => (one.statusOnly && answer.status < 500 ? [] : faultsOf(answer)));
  if (!closed && answers.length < one.answers) faults.push(`${answers.length} answers and no end within ${deadlineMs} ms`);
  const passed = answers.find(({ status }) => status < 400);
  if (passed && !one.mayReturn2xx) faults.push(`returned ${passed.status}`);
  return faults.map((fault) => `${one.name}: ${fault}: ${JSON.stringify(one.bytes.subarray(0, 200).toString('latin1'))}`);
}

async function exchange(port: number, one: RawCase, deadlineMs: number): Promise<{ received: Buffer; closed: boolean }> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  const parts: Buffer[] = [];
  let closed = false;
  const late = new AbortController();
  const end = new Promise<void>((resolve) => {
    socket.on('data', (part) => {
      parts.push(part);
      if (!one.cut && readAnswers(Buffer.concat(parts)).filter(({ status }) => status >= 200).length >= one.answers) resolve();
    });
    socket.on('close', () => {
      closed = true;
      resolve();
    });
    // Errors are ignored, because the server may close the connection while the test still writes.
    socket.on('error', () => undefined);
  });
  await writeInParts(socket, one);
  if (one.cut) socket.end();
  await Promise.race([end, sleep(deadlineMs, undefined, { signal: late.signal })]);
  late.abort();
  socket.destroy();
  return { received: Buffer.concat(parts), closed };
}

async function writeInParts(socket: ReturnType<typeof connect>, { bytes, splitPositions }: RawCase): Promise<void> {
  const borders = [0, ...splitPositions, bytes.length];
  for (let i = 1; i < borders.length; i++) {
    socket.write(bytes.subarray(borders[i - 1], borders[i]));
    await sleep(2);
  }
}

/** Parses the complete responses at the start of the received bytes. All our responses have a Content-Length. */
function readAnswers(received: Buffer): Seen[] {
  const answers: Seen[] = [];
  for (let at = 0; ; ) {
    const headEnd = received.indexOf('\r\n\r\n', at);
    if (headEnd === -1) return answers;
    const [first = '', ...lines] = received.subarray(at, headEnd).toString('latin1').split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    const bodyEnd = headEnd + 4 + Number(headers['content-length'] ?? 0);
    if (bodyEnd > received.length) return answers;
    answers.push({
      method: '',
      status: Number(first.split(' ')[1]),
      headers,
      body: received.subarray(headEnd + 4, bodyEnd).toString('utf8'),
    });
    at = bodyEnd;
  }
}
