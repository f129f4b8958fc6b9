/** Values that no client should send. `flaws.ts` decides where in a request they occur. */

/** JSON text that `JSON.stringify` would never write. */
export class Raw {
  readonly json: string;
  constructor(json: string) {
    this.json = json;
  }
}

/** Splits text at white space. A list of values without spaces is shorter to write this way. */
const words = (text: string): string[] => text.trim().split(/\s+/);

export const badNumbers = words(`
  0 -1 -0 1.5 1e308 -1e308 1e400 -1e400 1E400 5e-324 2147483647 2147483648 4294967296 9007199254740991 9007199254740992 9007199254740993
  -9007199254740992 9223372036854775807 9223372036854775808 123456789012345678901234567890 0.1e-400 1e21`).map((text) => new Raw(text));

/** Numbers that are not valid JSON. */
export const noNumbers = words('NaN Infinity -Infinity 01 +1 .5 5. 0x10 0b1 1_000 1n undefined ٣ 1,5 1e --1').map((text) => new Raw(text));

const injections = [
  "'; drop table app_user; --",
  "' or '1'='1",
  '$1',
  '{{7*7}}<%= 7*7 %>',
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  'a\r\nSet-Cookie: x=1\r\n\r\n<html>',
  '../../../../etc/passwd',
  '%_\\',
  '\\',
  '%00',
  '| sleep 10',
  '{"$gt":""}',
];

const strangeTexts = [
  '',
  ' ',
  '\t',
  '\n',
  '\0',
  'a\0b',
  '\ud800',
  'a\udfffb',
  '\udc00\ud800',
  '\u202eevil\u202c',
  '\u200b',
  '\ufeff',
].concat(
  ['\ufffe\uffff', '👩‍👩‍👧‍👦🏳️‍🌈', 'مرحبا بالعالم', 'İıſKß', `e${'\u0301'.repeat(100)}`, '\x7f\x80\x9f', '\u2028\u2029'],
  words('__proto__ null true [object] 1 -1 1e3 NaN'),
);

export const badDates = words(`
  2026-02-30 2026-02-30T00:00:00Z 2026-13-01T00:00:00Z 2026-06-01T24:00:00Z 2026-06-01T25:61:61Z 2026-12-31T23:59:60Z 2026-06-01
  2026-06-01T00:00:00 2026-06-01T00:00:00+99:99 2026-06-01T00:00:00+23:59 2026-06-01t00:00:00z 2026-06-01T00:00:00.123456789123456789Z
  0000 0000-01-01T00:00:00Z -000001-01-01T00:00:00Z 9999-12-31T23:59:59.999Z +275760-09-13T00:00:00.000Z +275760-09-13T00:00:00.001Z
  +275761-01-01T00:00:00Z 1e9 ٢٠٢٦-٠٦-٠١T٠٠:٠٠:٠٠Z 20260601T000000Z 2026-W23-1 2026-152 T00:00:00Z`).concat(
  '2026-06-01 00:00:00',
  'yesterday',
);

export const badTexts = [injections, strangeTexts, badDates];

export const longTexts: ((length: number) => string)[] = [
  (length) => 'a'.repeat(length),
  (length) => ' '.repeat(length),
  (length) => '😀'.repeat(length / 2),
  (length) => '\ud800'.repeat(length),
  (length) => '1'.repeat(length),
  (length) => '%'.repeat(length),
  (length) => '\\'.repeat(length),
];

/**
 * Texts with an invalid last character, which makes some regular expressions backtrack from every position. The texts are so long that
 * this would take minutes.
 */
export const backtrackingTexts = [
  `${'a'.repeat(150_000)}\n`,
  `${' '.repeat(150_000)}\x01`,
  `${'a.'.repeat(75_000)}@`,
  `a@${'a-'.repeat(75_000)}`,
  `a@${'a.'.repeat(75_000)}\n`,
  `2026-06-01T00:00:00.${'0'.repeat(150_000)}x`,
  `https://${'a:'.repeat(75_000)}`,
];

export const badKeys = words('__proto__ constructor prototype toString hasOwnProperty ID $ref 0 -1').concat(
  '',
  ' ',
  'id ',
  'a\0',
  '\ud800',
);

const nested = (open: string, close: string, levels: number): Raw => new Raw(`${open.repeat(levels)}1${close.repeat(levels)}`);
export const deepValues = [nested('[', ']', 10_000), nested('{"a":', '}', 10_000), nested('[{"a":', '}]', 5_000)];

const repeated = (item: string, times: number): Raw => new Raw(`[${`${item},`.repeat(times - 1)}${item}]`);
/** Returns a list of different values. Code that searches for duplicates compares each value with all others. */
const distinct = (count: number): Raw => new Raw(`[${Array.from({ length: count }, (_, i) => i + 1).join(',')}]`);
export const hugeArrays = words('1 null "a" {} [] 1e400 -1 "__proto__"')
  .flatMap((item) => [repeated(item, 1_001), repeated(item, 20_000)])
  .concat(distinct(1_001), distinct(150_000), repeated('0', 300_000));

const manyKeys = (count: number): Raw => new Raw(`{${Array.from({ length: count }, (_, i) => `"k${i}":${i}`).join(',')}}`);
export const wideObjects = [manyKeys(200), manyKeys(5_000)];

export const badIds = words(`
  0 -1 1e3 0x10 007 1.0 1.5 %D9%A3 99999999999999999999 9007199254740991 9007199254740992 9223372036854775808 NaN Infinity -Infinity 1e400
  null undefined true me %20 %201 1%20 +1 1,2 1;2 [] {} 1'%20or%201=1-- %3Cscript%3E %0d%0aX:1 %00 1%00 %F0%9F%8E%9F %E2%80%AE1 :id * %2e%2e
  %2F 1%2F2 1_0 0b1 -0 1e-7`);

export const badEscapes = words('% %zz %1 %E0%A4%A %C0%80 %ED%A0%80 %FF%FE %u0041 %% %25%30%30 %c0%ae%c0%ae');

const base64url = (text: string | Uint8Array): string => Buffer.from(text).toString('base64url');

/** Page cursors with the maximum number of keys: numbers that are too large for their column, and texts that are not dates. */
const badCursorKeys = [1, 2, 3, 4].flatMap((length) =>
  [
    Number.MAX_SAFE_INTEGER,
    -Number.MAX_SAFE_INTEGER,
    2 ** 31,
    2 ** 53,
    0,
    0.5,
    'x',
    '',
    '\0',
    '\ud800',
    '2026-02-30',
    '+275761-01-01T00:00:00Z',
    null,
  ].map((part) => Array.from({ length }, (_, i) => (typeof part === 'string' && i === length - 1 ? 1 : part))),
);

/** Cursors that are invalid, although most of them have the right format. */
export const badCursors = [
  'x',
  '%3D%3D%3D',
  '!!!',
  'AAAA',
  '',
  base64url(Uint8Array.of(0x5b, 0xff, 0xfe, 0x5d)),
  base64url(`[${'1'.repeat(300)}]`),
].concat(
  words('[] ["a"] [1e400] {} {"0":1,"length":1} null 1 "a" [[1]] [true] [1 [{"a":1}] [1,"a"] ["a","b","c"]').map(base64url),
  badCursorKeys.map((key) => base64url(JSON.stringify(key))),
);

export const contentTypes = words(
  'text/plain application/xml APPLICATION/JSON application/jsonx application/ld+json / json a/b/c */* __proto__',
).concat(
  ['', ' ', 'application/json; charset=utf-16', 'application/json; charset=latin1', 'application/json;', 'application/json; charset'],
  ['application/json;;;;=', ' application/json', 'application/json, text/html', 'application/x-www-form-urlencoded', 'multipart/form-data'],
  ['multipart/form-data; boundary=x', 'application/octet-stream', 'application/json\r\nX: 1', `application/json; a=${'b'.repeat(5_000)}`],
);

export const badLengths = words('0 1 5 999999 1048577 99999999999999999999 -1 abc 1e3 0x10 5,5').concat('', ' ');

export const badIdempotencyKeys = [
  '',
  ' ',
  'a b',
  'é',
  '\0',
  'a\tb',
  'a\r\nb',
  '\x7f',
  'a, b',
  '😀',
  ...[255, 256, 300].map((n) => 'x'.repeat(n)),
];

export const badTags = words('* "" " W/ W/" "x" W/"x" x ,,, "a","b"').concat(
  '',
  '* , *',
  '"\0"',
  `"${'x'.repeat(10_000)}"`,
  ','.repeat(10_000),
);

const jwt = (header: unknown, payload: unknown): string =>
  `Bearer ${base64url(JSON.stringify(header))}.${base64url(JSON.stringify(payload))}.${'A'.repeat(86)}`;

export const badAuthorizations = [
  '',
  'Bearer',
  'Bearer ',
  'Bearer  x',
  'Bearer a b',
  'bearer x',
  'Basic YTpi',
  'Basic',
  'Bearer ...',
].concat(
  ['Digest username="a"', 'Bearer null', 'Bearer a.b.c', 'Bearer é', 'Bearer \0', 'Bearer a\r\nX-Admin: 1'],
  [
    `Bearer ${'a'.repeat(4_097)}`,
    `Bearer ${'a.'.repeat(20_000)}`,
    jwt(null, null),
    jwt([], 'x'),
    jwt({ alg: 'EdDSA', typ: 'JWT' }, { sub: '1' }),
  ],
  [jwt({ alg: 'none', typ: 'JWT' }, { sub: '1' }), jwt({ alg: 'HS256', typ: 'JWT', kid: '__proto__' }, { sub: '1' })],
);

/** A token in the right format, signed with an unknown key. */
export const strangerToken = jwt({ alg: 'EdDSA', typ: 'JWT', kid: 'nobody' }, { sub: '1' });

export const otherHeaders: [string, string[]][] = [
  ['accept', ['', 'text/html', '*', ';q=', 'application/json;q=-1', 'x'.repeat(5_000)]],
  ['accept-encoding', ['', 'gzip;q=2', 'br;q=,', '*;q=0', 'identity;q=0', '\0', ','.repeat(5_000)]],
  ['accept-language', ['xx-YY', '*', '\ud800', '-'.repeat(1_000)]],
  ['expect', ['100-continue', '200-ok']],
  ['host', ['', 'evil.example', 'a b', '[::1', 'x:99999', '\0']],
  ['origin', ['null', '', 'https://evil.example', 'x', '\0', 'https://']],
  ['access-control-request-method', ['PUT', '', 'x y']],
  ['x-forwarded-for', ['1.2.3.4', "'; drop table app_user; --", '', ','.repeat(1_000)]],
  ['x-request-id', ['mine', '', '\0', 'x'.repeat(5_000)]],
  ['x-http-method-override', ['DELETE']],
  ['transfer-encoding', ['chunked', 'gzip', 'chunked, chunked', 'identity', 'x']],
  ['content-encoding', ['gzip', 'br', 'x']],
  ['connection', ['upgrade', 'close', 'x']],
  ['upgrade', ['websocket', 'h2c']],
  ['range', ['bytes=0-1', 'bytes=-', 'x']],
  ['cookie', ['a=b', '=', '__proto__=1', ';'.repeat(1_000)]],
  ['if-modified-since', ['x', 'Thu, 30 Feb 2026 00:00:00 GMT']],
  ['forwarded', ['for=']],
];
