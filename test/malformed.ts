import { METHODS } from 'node:http';
import type { Capability } from '../src/http/capability.ts';
import { basePath } from '../src/http/mount.ts';
import { problems } from '../src/kernel/problem.ts';
import type { Route } from '../src/kernel/route.ts';

/** Mulberry32. Each request has a generator of its own, so that number 1234 of a seed is the same whatever was sent before it. */
export class Dice {
  #state: number;

  constructor(seed: number, index: number) {
    this.#state = (Math.imul(seed | 0, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b)) | 0;
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  below(n: number): number {
    return Math.floor(this.next() * n);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }
}

// ---------------------------------------------------------------------------------------------------------------- what is sent

export interface Targets {
  /** Good tokens by the name of who has them. */
  tokens: Record<string, string>;
  /** Real ids by the part of the path or the field that they stand behind, so that requests get past "not found". */
  ids: Record<string, readonly number[]>;
  emails: readonly string[];
}

/** What `inject` takes. */
export interface Request {
  method: string;
  url: string;
  headers: Record<string, string>;
  remoteAddress: string;
  payload?: string | Buffer;
}

export interface Attempt {
  index: number;
  operation: string;
  caller: string;
  flaws: string[];
  options: Request;
}

export interface Named {
  name: string;
  route: Route;
}

export const operationsOf = (capabilities: readonly Capability[]): Named[] =>
  capabilities.flatMap(({ contract }) => Object.entries(contract).map(([name, route]) => ({ name, route })));

/** Request number `index` of this seed. Operations take turns, so that each gets its share. */
export function malformedRequest(operations: readonly Named[], targets: Targets, seed: number, index: number): Attempt {
  const dice = new Dice(seed, index);
  const { name, route } = operations[index % operations.length] as Named;
  const draft = validRequest(route, targets, dice, index);
  const caller = pickCaller(route, targets, dice);
  const token = targets.tokens[caller];
  if (token !== undefined) draft.headers.authorization = `Bearer ${token}`;
  const applied: string[] = [];
  const among = flawsFor(route);
  for (let n = 1 + below3(dice); n > 0; n--) {
    const flaw = dice.pick(dice.pick(among));
    flaws[flaw](draft, dice);
    applied.push(flaw);
  }
  return { index, operation: name, caller, flaws: applied, options: assemble(draft) };
}

/** Mostly one flaw: where there are several, the first check to fail hides the others. */
const below3 = (dice: Dice): number => (dice.chance(0.7) ? 0 : dice.chance(0.7) ? 1 : 2);

/** Mostly somebody who may: refused at the gate, a request tests nothing behind it. */
function pickCaller(route: Route, { tokens }: Targets, dice: Dice): string {
  const everybody = [...Object.keys(tokens), 'nobody'];
  if (route.access.to === 'anyone') return dice.chance(0.6) ? 'nobody' : dice.pick(everybody);
  if (route.access.to === 'admin') return dice.chance(0.85) ? 'admin' : dice.pick(everybody);
  return dice.chance(0.7) ? dice.pick(['owner', 'admin']) : dice.pick(everybody);
}

/** A request while it is being spoilt. */
interface Draft {
  route: Route;
  method: string;
  /** Segments as they stand in the address, already encoded. */
  path: string[];
  /** `name=value` as it stands in the address. */
  query: string[];
  /** A tree of JSON values, in which `Raw` stands for text of its own. */
  body: unknown;
  /** Takes the place of `body`. */
  bytes: string | Buffer | null;
  headers: Record<string, string>;
  remoteAddress: string;
}

function validRequest(route: Route, targets: Targets, dice: Dice, index: number): Draft {
  const query = valuesOf(route.query, route.examples.query, targets, dice);
  return {
    route,
    method: route.method,
    path: validPath(route, targets, dice),
    query: Object.entries(query ?? {}).map(([name, value]) => `${encode(name)}=${encode(String(value))}`),
    body: valuesOf(route.body, route.examples.body, targets, dice),
    bytes: null,
    headers: {},
    // Log-ins are limited by address: from one address everything after the first hundred would be 429.
    remoteAddress: `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`,
  };
}

function validPath(route: Route, { ids }: Targets, dice: Dice): string[] {
  const examples = (route.examples.params ?? {}) as Record<string, unknown>;
  const segments = route.path.split('/').slice(1);
  return segments.map((segment, i) => {
    const parameter = /^\{(\w+)\}$/.exec(segment)?.[1];
    if (parameter === undefined) return segment;
    const real = ids[segments[i - 1] ?? ''];
    return encode(String(real ? dice.pick(real) : examples[parameter]));
  });
}

const encode = (text: string): string => encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '\ufffd'));

// ----------------------------------------------------------------------------------------------------------- values that are good

/** The parts of JSON Schema that the contracts use. */
interface Shape {
  type?: string | string[];
  properties?: Record<string, Shape>;
  required?: string[];
  items?: Shape;
  anyOf?: Shape[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
  examples?: unknown[];
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
}

const typeOf = ({ type = '' }: Shape): string => (Array.isArray(type) ? (type[0] ?? '') : type);

/** The example, or what the schema allows where that has more fields, with ids and addresses that exist. */
function valuesOf(schema: unknown, example: unknown, targets: Targets, dice: Dice): unknown {
  if (schema === undefined) return undefined;
  const shape = schema as Shape;
  const value = example === undefined || dice.chance(0.4) ? sample(shape, dice) : structuredClone(example);
  return withRealIds(value, targets, dice);
}

function withRealIds(value: unknown, targets: Targets, dice: Dice): unknown {
  if (Array.isArray(value)) return value.map((item) => withRealIds(item, targets, dice));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      if (key === 'email' && dice.chance(0.7)) return [key, dice.chance(0.5) ? dice.pick(targets.emails) : freshEmail(dice)];
      const real = targets.ids[key];
      if (real) return [key, Array.isArray(inner) ? [dice.pick(real)] : dice.pick(real)];
      return [key, withRealIds(inner, targets, dice)];
    }),
  );
}

const freshEmail = (dice: Dice): string => `p${dice.below(1e9)}@example.com`;

function sample(shape: Shape, dice: Dice): unknown {
  if (shape.const !== undefined) return shape.const;
  if (shape.enum) return dice.pick(shape.enum);
  if (shape.anyOf) return sample(dice.pick(shape.anyOf), dice);
  if (Array.isArray(shape.type) && dice.chance(0.2)) return shape.type.includes('null') ? null : undefined;
  if (shape.examples && dice.chance(0.7)) return dice.pick(shape.examples);
  switch (typeOf(shape)) {
    case 'object':
      return sampleObject(shape, dice);
    case 'array':
      return Array.from({ length: Math.max(1, shape.minItems ?? 0) }, () => sample(shape.items ?? {}, dice));
    case 'integer':
    case 'number':
      return (shape.minimum ?? 0) + dice.below(Math.min(50, (shape.maximum ?? 50) - (shape.minimum ?? 0) + 1));
    case 'boolean':
      return dice.chance(0.5);
    default:
      return sampleText(shape, dice);
  }
}

function sampleObject({ properties = {}, required = [] }: Shape, dice: Dice): Record<string, unknown> {
  const chosen = Object.entries(properties).filter(([key]) => required.includes(key) || dice.chance(0.5));
  return Object.fromEntries(chosen.map(([key, inner]) => [key, sample(inner, dice)]));
}

const formatted: Record<string, (dice: Dice) => string> = {
  'date-time': (dice) => new Date(Date.UTC(2026, 3 + dice.below(9), 1)).toISOString(),
  date: () => '2026-06-01',
  email: freshEmail,
  uuid: () => '3f2b8c1e-6c1d-4f0a-9b57-1d2e3f4a5b6c',
  uri: () => 'https://example.com/',
};

function sampleText({ format, minLength = 1, maxLength = 20 }: Shape, dice: Dice): string {
  const known = formatted[format ?? ''];
  return known ? known(dice) : 'Abcdefghij'.repeat(20).slice(0, minLength + dice.below(Math.max(1, Math.min(20, maxLength - minLength))));
}

// ------------------------------------------------------------------------------------------------------------ values that are bad

/** JSON text of its own, for what `JSON.stringify` would never write. */
class Raw {
  readonly json: string;
  constructor(json: string) {
    this.json = json;
  }
}

const nested = (open: string, close: string, levels: number): Raw => new Raw(`${open.repeat(levels)}${close.repeat(levels)}`);

const badNumbers = [
  '0',
  '-1',
  '-0',
  '1.5',
  '1e308',
  '-1e308',
  '1e400',
  '5e-324',
  '9007199254740991',
  '9007199254740992',
  '9007199254740993',
]
  .concat(['2147483648', '4294967296', '9223372036854775807', '9223372036854775808', '1E400', '123456789012345678901234567890'])
  .map((text) => new Raw(text));

/** Not JSON at all. */
const noNumbers = ['NaN', 'Infinity', '-Infinity', '01', '+1', '.5', '5.', '0x10', '1_000', '1n', 'undefined', '- 1', '٣'].map(
  (text) => new Raw(text),
);

const injections = [
  "'; drop table app_user; --",
  "' or '1'='1",
  '$1',
  '${7*7}{{7*7}}<%= 7*7 %>',
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  'a\r\nSet-Cookie: x=1\r\n\r\n<html>',
  '../../../../etc/passwd',
  '%_\\',
  '\\',
  '%00',
  '|| sleep 10',
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
  '\ufffe\uffff',
  '👩‍👩‍👧‍👦🏳️‍🌈',
  'مرحبا بالعالم',
  'İıſKß',
  'Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L̠ͨͧͩ͘G̴̻͈͍͔̹̑͗̎̅͛́Ǫ̵̹̻̝̳͂̌̌͘!͖̬̰̙̗̿̋ͥͥ̂ͣ̐́́͜͞',
  '\x7f\x80\x9f',
  '__proto__',
  'null',
  'true',
  '[object Object]',
  '1',
  '-1',
  '1e3',
];

const badDates = [
  '2026-02-30',
  '2026-02-30T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-06-01T24:00:00Z',
  '2026-06-01T25:61:61Z',
  '2026-12-31T23:59:60Z',
  '2026-06-01',
  '2026-06-01T00:00:00',
  '2026-06-01 00:00:00',
  '2026-06-01T00:00:00+99:99',
  '2026-06-01T00:00:00+23:59',
  '2026-06-01t00:00:00z',
  '2026-06-01T00:00:00.123456789123456789Z',
  '0000-01-01T00:00:00Z',
  '0000',
  '-000001-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999Z',
  '+275760-09-13T00:00:00.001Z',
  '+275761-01-01T00:00:00Z',
  '1e9',
  '٢٠٢٦-٠٦-٠١T٠٠:٠٠:٠٠Z',
];

/** Long ones are chosen to hurt those who look at them twice: a bad last character makes a pattern try again from every other. */
const longTexts: ((length: number) => string)[] = [
  (length) => 'a'.repeat(length),
  (length) => `${'a'.repeat(length)}\n`,
  (length) => ' '.repeat(length),
  (length) => `${' '.repeat(length)}\0`,
  (length) => '😀'.repeat(length / 2),
  (length) => '\ud800'.repeat(length),
  (length) => `${'a.'.repeat(length / 2)}@`,
  (length) => `a@${'a-'.repeat(length / 2)}`,
  (length) => `a@${'a.'.repeat(length / 2)}\n`,
  (length) => '1'.repeat(length),
  (length) => `2026-06-01T00:00:00.${'0'.repeat(length)}x`,
  (length) => '%'.repeat(length),
  (length) => '\\'.repeat(length),
  (length) => `https://${'a:'.repeat(length / 2)}`,
];

const longText = (dice: Dice, longest = 100_000): string => dice.pick(longTexts)(dice.pick([300, 5_000, longest]));

const badText = (dice: Dice): string =>
  dice.pick([() => dice.pick(injections), () => dice.pick(strangeTexts), () => dice.pick(badDates)])();

const badKeys = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '',
  ' ',
  'a\0',
  '\ud800',
  'ID',
  'id ',
  '$ref',
  '0',
  '-1',
];

/** A value of any type, whatever was expected. */
const wrongValue = (dice: Dice): unknown =>
  dice.pick<() => unknown>([
    () => null,
    () => dice.chance(0.5),
    () => dice.pick(badNumbers),
    () => dice.pick(badNumbers),
    () => badText(dice),
    () => badText(dice),
    () => [],
    () => [null],
    () => ({}),
    () => [[badText(dice)]],
    () => ({ [dice.pick(badKeys)]: badText(dice) }),
    () => new Raw('{"__proto__":{"admin":true}}'),
    () => new Raw('{"constructor":{"prototype":{"admin":true}}}'),
    () => ({ toString: 1, valueOf: 1, length: -1 }),
  ])();

/** On the border of what the schema allows, and one step beyond: this is where contract and database may disagree. */
function borderValue(shape: Shape, dice: Dice): unknown {
  switch (typeOf(shape)) {
    case 'integer':
    case 'number':
      return dice.pick([shape.minimum ?? 0, shape.maximum ?? 2 ** 53].flatMap((border) => [border - 1, border, border + 1, border + 0.5]));
    case 'array': {
      const items = dice.pick([(shape.minItems ?? 0) - 1, shape.minItems ?? 0, shape.maxItems ?? 1_000, (shape.maxItems ?? 1_000) + 1]);
      return Array.from({ length: Math.max(0, items) }, (_, i) =>
        typeOf(shape.items ?? {}) === 'integer' ? i + 1 : sample(shape.items ?? {}, dice),
      );
    }
    case 'string':
      return borderText(shape, dice);
    default:
      return wrongValue(dice);
  }
}

function borderText({ minLength = 0, maxLength = 1_000, format }: Shape, dice: Dice): string {
  if (format === 'date-time' || format === 'date') return dice.pick(badDates);
  const length = Math.max(0, dice.pick([minLength - 1, minLength, maxLength, maxLength, maxLength + 1]));
  if (format === 'email') {
    const domain = dice.pick(['@b.example', `@${'d'.repeat(63)}.example`]);
    return `${'a'.repeat(Math.max(1, length - domain.length))}${domain}`;
  }
  return dice.pick(['a', 'é', '😀', 'ﷺ', 'İ', ' ', '\u0301', "'"]).repeat(length);
}

/** Puts something bad in one place of the tree, most often in a leaf. */
function spoil(value: unknown, shape: Shape, dice: Dice, bad: (shape: Shape) => unknown): unknown {
  if (Array.isArray(value) && value.length > 0 && dice.chance(0.7)) {
    const at = dice.below(value.length);
    return value.map((item, i) => (i === at ? spoil(item, shape.items ?? {}, dice, bad) : item));
  }
  const keys = isPlain(value) ? Object.keys(shape.properties ?? value) : [];
  if (keys.length === 0 || dice.chance(0.1)) return bad(shape);
  const key = dice.pick(keys);
  const inner = shape.properties?.[key] ?? {};
  return { ...(value as object), [key]: spoil((value as Record<string, unknown>)[key], inner, dice, bad) };
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Raw);

/** Like `JSON.stringify`, with raw text, with `__proto__` as a key like any other, and with keys that come twice. */
function write(value: unknown): string {
  if (value instanceof Raw) return value.json;
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  if (!isPlain(value)) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return `{${fields.map(([key, inner]) => `${JSON.stringify(key)}:${write(inner)}`).join(',')}}`;
}

/** Adds a field to the text, as an object could not hold two of one name. */
const withField = (body: unknown, key: string, value: unknown): Raw => {
  const text = write(isPlain(body) ? body : {});
  const field = `${JSON.stringify(key)}:${write(value)}`;
  return new Raw(text === '{}' ? `{${field}}` : `${text.slice(0, -1)},${field}}`);
};

// ------------------------------------------------------------------------------------------------------------------ ways to spoil

const badIds = ['0', '-1', '1e3', '0x10', '007', '1.0', '1.5', '%D9%A3', '99999999999999999999', '9007199254740991', '9007199254740992']
  .concat([
    '9223372036854775808',
    'NaN',
    'Infinity',
    'null',
    'undefined',
    'true',
    'me',
    '%20',
    '%201',
    '1%20',
    '+1',
    '1,2',
    '1;2',
    '[]',
    '{}',
  ])
  .concat([
    "1'%20or%201=1--",
    '%3Cscript%3E',
    '%0d%0aX:1',
    '%00',
    '1%00',
    '%F0%9F%8E%9F',
    '%E2%80%AE1',
    ':id',
    '*',
    '%2e%2e',
    '%2F',
    '1%2F2',
  ]);

const badEscapes = ['%', '%zz', '%1', '%E0%A4%A', '%C0%80', '%ED%A0%80', '%FF%FE', '%u0041', '%%', '%25%30%30', '%c0%ae%c0%ae'];

/** Cursors of the wrong kind, most of them of the right make. */
const badCursors = [
  'x',
  '%3D%3D%3D',
  '!!!',
  'AAAA',
  ...['[]', '[1,2]', '["a"]', '[null]', '[1.5]', '[1e400]', '[9007199254740992]', '[-9007199254740991]', '[-1]', '{}', '{"0":1,"length":1}']
    .concat(['null', '1', '"a"', '[[1]]', '[true]', '["1; drop table app_user"]', '[1', '', '[{"a":1}]', '[1,"a"]', '["2026-02-30",1]'])
    .concat(['["2026-06-01T00:00:00.000Z",1]', '["\\u0000",1]', '["\\ud800",1]', '["a","b","c"]', '[0,0]', '["",0]', '["1e999",1]'])
    .map((text) => Buffer.from(text).toString('base64url')),
  Buffer.from([0x5b, 0xff, 0xfe, 0x5d]).toString('base64url'),
  Buffer.from(`[${'1'.repeat(300)}]`).toString('base64url'),
];

const contentTypes = [
  '',
  'text/plain',
  'application/xml',
  'application/json; charset=utf-16',
  'application/json; charset=latin1',
  'application/json;',
  'application/json; charset',
  'application/json;;;;=',
  'APPLICATION/JSON',
  ' application/json',
  'application/jsonx',
  'application/json, text/html',
  'application/ld+json',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'multipart/form-data; boundary=x',
  'application/octet-stream',
  '/',
  'json',
  'a/b/c',
  '*/*',
  '__proto__',
  'application/json\r\nX: 1',
  `application/json; a=${'b'.repeat(5_000)}`,
];

const badKeysOfIdempotency = [
  '',
  ' ',
  'a b',
  'é',
  '\0',
  'a\tb',
  'a\r\nb',
  '\x7f',
  'x'.repeat(255),
  'x'.repeat(256),
  'x'.repeat(300),
  '"',
  'a, b',
  '😀',
];

const badTags = [
  '*',
  '',
  '""',
  '"',
  'W/',
  'W/"',
  '"x"',
  'W/"x"',
  'x',
  ',,,',
  '"a","b"',
  '* , *',
  '"\0"',
  `"${'x'.repeat(10_000)}"`,
  ','.repeat(10_000),
];

const encodeJson = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const jwt = (header: unknown, payload: unknown): string => `${encodeJson(header)}.${encodeJson(payload)}.${'A'.repeat(86)}`;

const badAuthorizations = [
  '',
  'Bearer',
  'Bearer ',
  'Bearer  x',
  'Bearer a b',
  'bearer x',
  'Basic YTpi',
  'Basic',
  'Digest username="a"',
  'Bearer null',
  'Bearer undefined',
  'Bearer ...',
  'Bearer a.b.c',
  'Bearer é',
  'Bearer \0',
  'Bearer a\r\nX-Admin: 1',
  `Bearer ${'a'.repeat(4_097)}`,
  `Bearer ${'a.'.repeat(20_000)}`,
  `Bearer ${jwt({ alg: 'none', typ: 'JWT' }, { sub: '1' })}`,
  `Bearer ${jwt({ alg: 'HS256', typ: 'JWT', kid: '__proto__' }, { sub: '1' })}`,
  `Bearer ${jwt({ alg: 'EdDSA', typ: 'JWT' }, { sub: '1' })}`,
  `Bearer ${jwt(null, null)}`,
  `Bearer ${jwt([], 'x')}`,
];

const otherHeaders: [string, string[]][] = [
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
  ['date', ['x']],
  ['forwarded', ['for=']],
];

const header =
  (name: string, values: readonly string[]) =>
  ({ headers }: Draft, dice: Dice): void => {
    headers[name] = dice.pick(values);
  };

/** Replaces one part of the address behind the fixed ones, or the last one. */
function replaceSegment({ route, path }: Draft, dice: Dice, text: string): void {
  const parameters = route.path
    .split('/')
    .slice(1)
    .flatMap((segment, i) => (segment.startsWith('{') ? [i] : []));
  path[parameters.length > 0 ? dice.pick(parameters) : path.length - 1] = text;
}

function replaceQuery(draft: Draft, dice: Dice, value: string): void {
  const names = Object.keys(draft.route.query?.properties ?? { pageSize: 1 });
  const name = dice.pick(names);
  draft.query = draft.query.filter((part) => !part.startsWith(`${name}=`)).concat(`${name}=${value}`);
}

const bodyText = (draft: Draft): string => write(draft.body ?? {});

const flaws = {
  bodyWrongValue: (draft, dice) => void (draft.body = spoil(draft.body, draft.route.body ?? {}, dice, () => wrongValue(dice))),
  bodyBorder: (draft, dice) => void (draft.body = spoil(draft.body, draft.route.body ?? {}, dice, (shape) => borderValue(shape, dice))),
  bodyLongText: (draft, dice) => void (draft.body = spoil(draft.body, draft.route.body ?? {}, dice, () => longText(dice))),
  bodyBadDate: (draft, dice) => void (draft.body = spoil(draft.body, draft.route.body ?? {}, dice, () => dice.pick(badDates))),
  bodyNull: (draft, dice) => void (draft.body = spoil(draft.body, draft.route.body ?? {}, dice, () => null)),
  bodyMissing: (draft, dice) => void (draft.body = spoil(draft.body, draft.route.body ?? {}, dice, () => undefined)),
  bodyNoNumber: (draft, dice) => void (draft.body = spoil(draft.body, draft.route.body ?? {}, dice, () => dice.pick(noNumbers))),
  bodyExtra: (draft, dice) => void (draft.body = withField(draft.body, dice.pick(badKeys), wrongValue(dice))),
  bodyLongKey: (draft, dice) => void (draft.body = withField(draft.body, longText(dice, 20_000), 1)),
  bodyManyKeys: (draft, dice) =>
    void (draft.body = Object.fromEntries(Array.from({ length: dice.pick([200, 5_000]) }, (_, i) => [`k${i}`, i]))),
  bodyTwice: (draft, dice) =>
    void (draft.body = withField(
      draft.body,
      dice.pick(Object.keys(isPlain(draft.body) ? draft.body : { a: 1 }).concat('a')),
      wrongValue(dice),
    )),
  bodyDeep: (draft, dice) => {
    const deep = () => dice.pick([nested('[', ']', 10_000), nested('{"a":', '}', 10_000), nested('[{"a":', '}]', 5_000)]);
    draft.body = dice.chance(0.5) ? deep() : spoil(draft.body, draft.route.body ?? {}, dice, deep);
  },
  bodyHugeArray: (draft, dice) => {
    const items = dice.pick(['1', 'null', '"a"', '{}', '[]', '1e400', '-1', '"__proto__"']);
    const huge = () => new Raw(`[${`${items},`.repeat(dice.pick([1_001, 20_000]))}${items}]`);
    draft.body = dice.chance(0.3) ? huge() : spoil(draft.body, draft.route.body ?? {}, dice, huge);
  },
  bodyOther: (draft, dice) => void (draft.body = wrongValue(dice)),
  textCut: (draft, dice) => void (draft.bytes = bodyText(draft).slice(0, -1 - dice.below(5))),
  textTrailing: (draft, dice) => void (draft.bytes = `${bodyText(draft)}${dice.pick(['}', ']', ',', 'x', '\0', '{}', '\u2028', '//'])}`),
  textLeading: (draft, dice) => void (draft.bytes = `${dice.pick(['\ufeff', '\0', ")]}',\n", '/**/', 'while(1);'])}${bodyText(draft)}`),
  textSingleQuotes: (draft) => void (draft.bytes = bodyText(draft).replaceAll('"', "'")),
  textBlank: (draft, dice) => void (draft.bytes = dice.pick(['', ' ', '\n', '\0', '"', '{', '[', '""', '0', 'null', 'true'])),
  textOpen: (draft, dice) => void (draft.bytes = dice.pick(['[', '{"a":', '"', '[{']).repeat(dice.pick([10_000, 100_000]))),
  textForm: (draft) => void (draft.bytes = 'email=a%40b.example&password=x'),
  textNotUtf8: (draft, dice) => {
    const bad = Buffer.from(dice.pick(['ff', 'c080', 'eda080', 'f8888080', 'e28', 'f0908080ff']).padEnd(4, '0'), 'hex');
    draft.bytes = Buffer.concat([Buffer.from('{"name":"'), bad, Buffer.from('"}')]);
  },
  textUtf16: (draft, dice) => void (draft.bytes = Buffer.from(`${dice.chance(0.5) ? '\ufeff' : ''}${bodyText(draft)}`, 'utf16le')),
  textTooLarge: (draft, dice) => void (draft.bytes = dice.chance(0.1) ? `"${'a'.repeat(1_048_576)}"` : `"${'a'.repeat(300_000)}"`),
  pathBadId: (draft, dice) => replaceSegment(draft, dice, dice.pick(badIds)),
  pathEscape: (draft, dice) => replaceSegment(draft, dice, dice.pick(badEscapes)),
  pathText: (draft, dice) => replaceSegment(draft, dice, encode(badText(dice))),
  pathLong: (draft, dice) => replaceSegment(draft, dice, dice.pick(['1', 'a', '%C3%A9', '%00', '0']).repeat(dice.pick([200, 501, 20_000]))),
  pathMore: (draft, dice) => void draft.path.push(dice.pick(['', 'x', '..', '%2e%2e', '.', ';a=b', '1', '%00', 'x/'.repeat(5_000)])),
  pathLess: (draft) => void draft.path.pop(),
  pathSlashes: (draft, dice) => void draft.path.splice(dice.below(draft.path.length), 0, '', dice.pick(['', '.', '..', '\\', '%5c'])),
  pathCase: (draft) => void (draft.path = draft.path.map((segment) => segment.toUpperCase())),
  queryWrong: (draft, dice) => replaceQuery(draft, dice, encode(badText(dice))),
  queryNumber: (draft, dice) => replaceQuery(draft, dice, dice.pick([...badNumbers, ...noNumbers].map(({ json }) => encode(json)))),
  queryCursor: (draft, dice) => void (draft.query = draft.query.concat(`cursor=${dice.pick(badCursors)}`)),
  queryRepeated: (draft, dice) => {
    const parts = draft.query.length > 0 ? draft.query : ['pageSize=1', 'cursor=x', 'count=true'];
    draft.query = draft.query.concat(Array.from({ length: dice.pick([1, 2, 1_000]) }, () => dice.pick(parts)));
  },
  queryBrackets: (draft, dice) => {
    const name = dice.pick(Object.keys(draft.route.query?.properties ?? { a: 1 }));
    draft.query.push(`${name}${dice.pick(['[]', '[0]', '[a]', '[__proto__][admin]', '.a', '[', '[$gt]', '%5B%5D'])}=1`);
  },
  queryEscape: (draft, dice) => replaceQuery(draft, dice, dice.pick(badEscapes)),
  queryLong: (draft, dice) => replaceQuery(draft, dice, encode(longText(dice, 20_000))),
  queryUnknown: (draft, dice) => void draft.query.push(`${encode(dice.pick(badKeys))}=${encode(badText(dice))}`),
  queryJunk: (draft, dice) => void draft.query.push(dice.pick(['&', '&&&=', '=', '=&=', '?', '#', '?a=b', 'a', '%', '\0', '+', ';a=b;c'])),
  contentType: header('content-type', contentTypes),
  contentTypeMissing: (draft) => void (draft.headers['content-type'] = 'missing'),
  contentLength: header('content-length', [
    '0',
    '1',
    '5',
    '999999',
    '1048577',
    '99999999999999999999',
    '-1',
    'abc',
    '1e3',
    '',
    '5, 5',
    '0x10',
  ]),
  idempotencyKey: header('idempotency-key', badKeysOfIdempotency),
  // A handful of good keys over and over: used again for the same request, and mostly for another one.
  idempotencyKeyReused: header('idempotency-key', ['key-1', 'key-2', 'key-3']),
  ifMatch: header('if-match', badTags),
  ifNoneMatch: header('if-none-match', badTags),
  authorization: header('authorization', badAuthorizations),
  // A key that nobody has makes the service look for new ones, at most once a second: these wait, so there are few.
  unknownSigner: (draft, dice) => {
    if (dice.chance(0.05)) draft.headers.authorization = `Bearer ${jwt({ alg: 'EdDSA', typ: 'JWT', kid: 'nobody' }, { sub: '1' })}`;
  },
  tokenTampered: (draft) => {
    const token = draft.headers.authorization ?? 'Bearer x';
    draft.headers.authorization = `${token.slice(0, -5)}${token.slice(-5) === 'AAAAA' ? 'BBBBB' : 'AAAAA'}`;
  },
  otherHeader: (draft, dice) => {
    const [name, values] = dice.pick(otherHeaders);
    draft.headers[name] = dice.pick(values);
  },
  method: (draft, dice) =>
    void (draft.method = dice.chance(0.5) ? dice.pick(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) : dice.pick(METHODS)),
} satisfies Record<string, (draft: Draft, dice: Dice) => void>;

type Flaw = keyof typeof flaws;
export const flawNames = Object.keys(flaws) as Flaw[];

const named = (prefix: RegExp): Flaw[] => flawNames.filter((name) => prefix.test(name));
const ofBody = named(/^body/);
const ofText = named(/^text/);
const ofPath = named(/^path/);
const ofQuery = named(/^query/);
const ofRest = flawNames.filter((name) => ![...ofBody, ...ofText, ...ofPath, ...ofQuery].includes(name));

/** What an operation takes is spoilt more often; what it does not take is sent to it as well. */
function flawsFor({ body, query, params }: Route): Flaw[][] {
  const groups = [ofBody, ofText, ofPath, ofQuery, ofRest, ofRest];
  if (body) groups.push(ofBody, ofBody, ofBody, ofBody);
  if (query) groups.push(ofQuery, ofQuery);
  if (params) groups.push(ofPath);
  return groups;
}

function assemble({ method, path, query, body, bytes, headers, remoteAddress }: Draft): Request {
  const payload = bytes ?? (body === undefined ? undefined : write(body));
  const search = query.length > 0 ? `?${query.join('&')}` : '';
  const { 'content-type': contentType = payload === undefined ? 'missing' : 'application/json', ...others } = headers;
  return {
    method,
    url: `${basePath}/${path.join('/')}${search}`,
    headers: { ...(contentType !== 'missing' && { 'content-type': contentType }), ...others },
    remoteAddress,
    ...(payload !== undefined && { payload }),
  };
}

// ----------------------------------------------------------------------------------------------------------- what must come back

export interface Seen {
  method: string;
  status: number;
  headers: Record<string, number | string | string[] | undefined>;
  body: string;
}

/** Everything that is wrong with an answer, whatever the request was. */
export function faultsOf(seen: Seen): string[] {
  if (seen.status < 400) return [];
  const faults = seen.status >= 500 ? [`status ${seen.status}`] : [];
  const type = String(seen.headers['content-type'] ?? 'none');
  if (!/^application\/problem\+json(;|$)/.test(type)) faults.push(`content type ${type}`);
  // An answer to HEAD has no body to look at.
  return seen.method === 'HEAD' ? faults : [...faults, ...faultsOfBody(seen)];
}

function faultsOfBody({ status, headers, body }: Seen): string[] {
  const problem = parse(body);
  if (!isPlain(problem)) return ['the body is no JSON object'];
  const { code, requestId } = problem;
  const faults = ['type', 'title', 'code', 'detail', 'requestId'].flatMap((field) =>
    typeof problem[field] === 'string' && problem[field] !== '' ? [] : [`no ${field}`],
  );
  if (problem.status !== status) faults.push(`status ${String(problem.status)} in the body of a ${status}`);
  if (typeof code !== 'string' || !Object.hasOwn(problems, code)) faults.push(`code ${String(code)} is not on the list`);
  // The answer to a repeated Idempotency-Key is the first one, byte for byte: it names the request that was carried out.
  if (headers['idempotency-replayed'] !== 'true' && headers['x-request-id'] !== requestId) {
    faults.push(`x-request-id ${String(headers['x-request-id'])} is not requestId ${String(requestId)}`);
  }
  return faults;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** One line to find the request again by. */
export function describeAttempt({ index, operation, caller, flaws, options }: Attempt): string {
  const { method, url, headers, payload } = options;
  const sent = { headers: { ...headers, ...(headers.authorization && { authorization: '…' }) }, payload: String(payload ?? '') };
  return `#${index} ${operation} as ${caller} (${flaws.join(', ')}): ${method} ${short(url)} ${short(sent.headers)} ${short(sent.payload)}`;
}

function short(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 300 ? `${text.slice(0, 200)}… ${text.length} … ${text.slice(-60)}` : text;
}
