import { METHODS } from 'node:http';
import type { Capability } from '../src/http/capability.ts';
import { basePath } from '../src/http/mount.ts';
import { problems } from '../src/kernel/problem.ts';
import type { Route } from '../src/kernel/route.ts';
import {
  badAuthorizations,
  badCursors,
  badDates,
  badEscapes,
  badIdempotencyKeys,
  badIds,
  badKeys,
  badLengths,
  badNumbers,
  badTags,
  badTexts,
  contentTypes,
  deepValues,
  hugeArrays,
  longTexts,
  noNumbers,
  otherHeaders,
  Raw,
  strangerToken,
  tiringTexts,
  wideObjects,
} from './malformed-values.ts';

/** Mulberry32. Each request has a generator of its own, so that number 1234 of a seed is the same whatever was sent before it. */
export class Dice {
  #state: number;

  constructor(seed: number, index: number) {
    this.#state = Math.imul(seed, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b);
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
  /** Operations that only these call, by their names in `tokens`. */
  reserved: Record<string, readonly string[]>;
  /** Real ids by the part of the path before them or the field they stand in, so that requests get past "not found". */
  ids: Record<string, readonly number[]>;
  emails: readonly string[];
}

/** What `inject` takes. */
interface Request {
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
  request: Request;
}

export interface Named {
  name: string;
  route: Route;
}

export const operationsOf = (capabilities: readonly Capability[]): Named[] =>
  capabilities.flatMap(({ contract }) => Object.entries(contract).map(([name, route]) => ({ name, route })));

/** Request number `index` of this seed: a good one, spoilt. Operations take turns, so that each gets its share. */
export function malformedRequest(operations: readonly Named[], targets: Targets, seed: number, index: number): Attempt {
  const dice = new Dice(seed, index);
  const { name, route } = operations[index % operations.length] as Named;
  const draft = goodRequest(route, targets, dice, index);
  const caller = dice.pick(targets.reserved[name] ?? [pickCaller(route, targets, dice)]);
  const token = targets.tokens[caller];
  if (token !== undefined) draft.headers.authorization = `Bearer ${token}`;
  const groups = groupsFor(route);
  // Mostly one: of several flaws the first to be noticed hides the others.
  const applied = Array.from({ length: dice.pick([1, 1, 1, 1, 1, 2, 2, 3]) }, () => dice.pick(dice.pick(groups)));
  for (const flaw of applied) flaws[flaw](draft, dice);
  return { index, operation: name, caller, flaws: applied, request: assemble(draft) };
}

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
  /** As they stand in the address, already encoded. */
  segments: string[];
  /** `name=value` as it stands in the address. */
  query: string[];
  /** A tree of JSON values, in which `Raw` stands for text of its own. */
  body: unknown;
  /** Takes the place of `body`. */
  bytes: string | Buffer | null;
  headers: Record<string, string>;
  remoteAddress: string;
}

function goodRequest(route: Route, targets: Targets, dice: Dice, index: number): Draft {
  const query = goodValue(route.query, route.examples.query, targets, dice);
  const body = goodValue(route.body, route.examples.body, targets, dice);
  return {
    route,
    method: route.method,
    segments: goodPath(route, targets, dice),
    query: Object.entries(query ?? {}).map(([name, value]) => `${encode(name)}=${encode(String(value))}`),
    body,
    bytes: null,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      // A key of its own takes a request through one layer more.
      ...(dice.chance(0.2) && { 'idempotency-key': `key-of-${index}` }),
    },
    // Log-ins are limited by address: from one address everything after the first hundred would be 429.
    remoteAddress: `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`,
  };
}

function goodPath(route: Route, { ids }: Targets, dice: Dice): string[] {
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

/** Twice what Node lets through: in memory there is no such limit, and thousandfold long ones only stop the clock. */
const longestUrl = 32_768;

function assemble({ method, segments, query, body, bytes, headers, remoteAddress }: Draft): Request {
  const payload = bytes ?? (body === undefined ? undefined : write(body));
  const search = query.length > 0 ? `?${query.join('&')}` : '';
  const url = `${basePath}/${segments.join('/')}${search}`.slice(0, longestUrl);
  return { method, url, headers, remoteAddress, ...(payload !== undefined && { payload }) };
}

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

/** The example, or whatever the schema allows, as that knows more fields; with ids and addresses that exist. */
function goodValue(schema: unknown, example: unknown, targets: Targets, dice: Dice): unknown {
  if (schema === undefined) return undefined;
  const value = example === undefined || dice.chance(0.4) ? sample(schema as Shape, dice) : example;
  return withRealIds(value, targets, dice);
}

function withRealIds(value: unknown, targets: Targets, dice: Dice): unknown {
  if (Array.isArray(value)) return value.map((item) => withRealIds(item, targets, dice));
  if (!isPlain(value)) return value;
  const replace = (key: string, inner: unknown): unknown => {
    if (key === 'email' && dice.chance(0.7)) return dice.chance(0.5) ? dice.pick(targets.emails) : freshEmail(dice);
    const real = targets.ids[key];
    if (real) return Array.isArray(inner) ? [dice.pick(real)] : dice.pick(real);
    return withRealIds(inner, targets, dice);
  };
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, replace(key, inner)]));
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Raw);

const freshEmail = (dice: Dice): string => `p${dice.below(1e9)}@example.com`;

function sample(shape: Shape, dice: Dice): unknown {
  if (shape.const !== undefined) return shape.const;
  if (shape.enum) return dice.pick(shape.enum);
  if (shape.anyOf) return sample(dice.pick(shape.anyOf), dice);
  if (shape.type?.includes('null') && dice.chance(0.2)) return null;
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
  // A cursor comes from the page before: a good one cannot be made up.
  const chosen = Object.entries(properties).filter(([key]) => required.includes(key) || (key !== 'cursor' && dice.chance(0.5)));
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
  return known ? known(dice) : 'A'.repeat(minLength + dice.below(Math.max(1, Math.min(20, maxLength - minLength))));
}

// ------------------------------------------------------------------------------------------------------------ values that are bad

const badText = (dice: Dice): string => dice.pick(dice.pick(badTexts));

const longText = (dice: Dice, longest: number): string => dice.pick(longTexts)(dice.pick([300, 5_000, longest]));

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

/** On the border of what the schema allows, and a step to either side: here contract and database may disagree. */
function borderValue(shape: Shape, dice: Dice): unknown {
  switch (typeOf(shape)) {
    case 'integer':
    case 'number':
      return dice.pick([shape.minimum ?? 0, shape.maximum ?? 2 ** 53].flatMap((border) => [border - 1, border, border + 1, border + 0.5]));
    case 'array':
      return borderArray(shape, dice);
    case 'string':
      return borderText(shape, dice);
    default:
      return wrongValue(dice);
  }
}

function borderArray({ items = {}, minItems = 0, maxItems = 1_000 }: Shape, dice: Dice): unknown[] {
  const length = Math.max(0, dice.pick([minItems - 1, minItems, maxItems, maxItems + 1]));
  return Array.from({ length }, (_, i) => (typeOf(items) === 'integer' ? i + 1 : sample(items, dice)));
}

function borderText({ minLength = 0, maxLength = 1_000, format }: Shape, dice: Dice): string {
  if (format === 'date-time' || format === 'date') return dice.pick(badDates);
  const length = Math.max(0, dice.pick([minLength - 1, minLength, maxLength, maxLength, maxLength + 1]));
  if (format === 'email') return borderEmail(length, dice);
  return dice.pick(['a', 'é', '😀', 'ﷺ', 'İ', ' ', '\u0301', "'"]).repeat(length);
}

/** Long before the @ or long behind it: what is made of one half may have other limits than the whole. Each is new, as is its person. */
function borderEmail(length: number, dice: Dice): string {
  const domain = dice.pick(['b.example', `${`${'d'.repeat(60)}.`.repeat(3)}example`]);
  const name = String(dice.below(1e9));
  return `${name.padEnd(length - domain.length - 1, 'a')}@${domain}`;
}

/** Puts something bad in one place of the tree, most often in a leaf, and where there is one in a leaf of this type. */
function spoil(value: unknown, shape: Shape, dice: Dice, bad: (shape: Shape) => unknown, type = ''): unknown {
  if (Array.isArray(value) && value.length > 0 && type !== 'array' && dice.chance(0.7)) {
    const at = dice.below(value.length);
    return value.map((item, i) => (i === at ? spoil(item, shape.items ?? {}, dice, bad, type) : item));
  }
  if (!isPlain(value) || dice.chance(0.1)) return bad(shape);
  const properties = shape.properties ?? {};
  const keys = Object.keys(shape.properties ?? value);
  const fitting = keys.filter((key) => typeOf(properties[key] ?? {}) === type && !properties[key]?.enum);
  if (keys.length === 0) return bad(shape);
  const key = dice.pick(fitting.length > 0 && dice.chance(0.8) ? fitting : keys);
  return { ...value, [key]: spoil(value[key], properties[key] ?? {}, dice, bad, type) };
}

/** Like `JSON.stringify`, with raw text, and with `__proto__` as a key like any other. */
function write(value: unknown): string {
  if (value instanceof Raw) return value.json;
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  if (!isPlain(value)) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return `{${fields.map(([key, inner]) => `${JSON.stringify(key)}:${write(inner)}`).join(',')}}`;
}

/** Adds a field to the text, as an object could not hold two of one name. */
function withField(body: unknown, key: string, value: unknown): Raw {
  const text = write(isPlain(body) ? body : {});
  const field = `${JSON.stringify(key)}:${write(value)}`;
  return new Raw(text === '{}' ? `{${field}}` : `${text.slice(0, -1)},${field}}`);
}

// ------------------------------------------------------------------------------------------------------------------ ways to spoil

type Spoiler = (draft: Draft, dice: Dice) => void;

const inBody =
  (bad: (dice: Dice, shape: Shape) => unknown, type = ''): Spoiler =>
  (draft, dice) => {
    draft.body = spoil(draft.body, draft.route.body ?? {}, dice, (shape) => bad(dice, shape), type);
    draft.headers['content-type'] ??= 'application/json';
  };

const asBody =
  (make: (dice: Dice, body: unknown) => unknown): Spoiler =>
  (draft, dice) => {
    draft.body = make(dice, draft.body);
    draft.headers['content-type'] ??= 'application/json';
  };

const asBytes =
  (make: (dice: Dice, text: string) => string | Buffer): Spoiler =>
  (draft, dice) => {
    draft.bytes = make(dice, write(draft.body ?? {}));
    draft.headers['content-type'] ??= 'application/json';
  };

/** Takes the place of a parameter in the path, or of the last part where there is none. */
const inPath =
  (make: (dice: Dice) => string): Spoiler =>
  ({ route, segments }, dice) => {
    const names = route.path.split('/').slice(1);
    const parameters = names.flatMap((name, i) => (name.startsWith('{') ? [i] : []));
    segments[parameters.length > 0 ? dice.pick(parameters) : names.length - 1] = make(dice);
  };

const queryNames = ({ query }: Route): string[] => Object.keys(query?.properties ?? { pageSize: true });

const inQuery =
  (make: (dice: Dice) => string): Spoiler =>
  (draft, dice) => {
    const name = dice.pick(queryNames(draft.route));
    draft.query = [...draft.query.filter((part) => !part.startsWith(`${name}=`)), `${name}=${make(dice)}`];
  };

const inHeader =
  (name: string, values: readonly string[]): Spoiler =>
  ({ headers }, dice) => {
    headers[name] = dice.pick(values);
  };

const notUtf8 = ['ff', 'c080', 'eda080', 'f8888080', 'e282', 'f0908080ff'].map((hex) => Buffer.from(hex, 'hex'));

const flaws = {
  bodyWrongValue: inBody(wrongValue),
  bodyBorder: inBody((dice, shape) => borderValue(shape, dice)),
  bodyLongText: inBody((dice) => longText(dice, 100_000), 'string'),
  bodyTiringText: inBody((dice) => dice.pick(tiringTexts), 'string'),
  bodyBadText: inBody(badText),
  bodyBadDate: inBody((dice) => dice.pick(badDates)),
  bodyNull: inBody(() => null),
  bodyMissing: inBody(() => undefined),
  bodyNoNumber: inBody((dice) => dice.pick(noNumbers)),
  bodyDeepInside: inBody((dice) => dice.pick(deepValues)),
  bodyHugeArray: inBody((dice) => dice.pick(hugeArrays), 'array'),
  bodyDeep: asBody((dice) => dice.pick(deepValues)),
  bodyOther: asBody(wrongValue),
  bodyWide: asBody((dice) => dice.pick(wideObjects)),
  bodyExtra: asBody((dice, body) => withField(body, dice.pick(badKeys), wrongValue(dice))),
  bodyLongKey: asBody((dice, body) => withField(body, longText(dice, 20_000), 1)),
  bodyKeyTwice: asBody((dice, body) => withField(body, dice.pick(isPlain(body) ? Object.keys(body) : ['a']) ?? 'a', wrongValue(dice))),
  textCut: asBytes((dice, text) => text.slice(0, -1 - dice.below(5))),
  textTrailing: asBytes((dice, text) => text + dice.pick(['}', ']', ',', 'x', '\0', '{}', '\u2028', '//'])),
  textLeading: asBytes((dice, text) => dice.pick(['\ufeff', '\0', ")]}',\n", '/**/', 'while(1);']) + text),
  textSingleQuotes: asBytes((_dice, text) => text.replaceAll('"', "'")),
  textBlank: asBytes((dice) => dice.pick(['', ' ', '\n', '\0', '"', '{', '[', '""', '0', 'null', 'true'])),
  textOpen: asBytes((dice) => dice.pick(['[', '{"a":', '"', '[{']).repeat(dice.pick([10_000, 100_000]))),
  textForm: asBytes(() => 'email=a%40b.example&password=x'),
  textNotUtf8: asBytes((dice) => Buffer.concat([Buffer.from('{"name":"'), dice.pick(notUtf8), Buffer.from('"}')])),
  textUtf16: asBytes((dice, text) => Buffer.from(dice.pick(['', '\ufeff']) + text, 'utf16le')),
  textTooLarge: asBytes((dice) => `"${'a'.repeat(dice.pick([100_000, 1_048_576]))}"`),
  pathBadId: inPath((dice) => dice.pick(badIds)),
  pathEscape: inPath((dice) => dice.pick(badEscapes)),
  pathText: inPath((dice) => encode(badText(dice))),
  pathLong: inPath((dice) => dice.pick(['1', 'a', '%C3%A9', '%00', '0']).repeat(dice.pick([200, 501, 20_000]))),
  pathMore: ({ segments }, dice) => void segments.push(dice.pick(['', 'x', '..', '%2e%2e', '.', ';a=b', '1', '%00', 'x/'.repeat(5_000)])),
  pathLess: ({ segments }) => void segments.pop(),
  pathSlashes: ({ segments }, dice) => void segments.splice(dice.below(segments.length), 0, '', dice.pick(['', '.', '..', '\\', '%5c'])),
  pathCase: (draft) => void (draft.segments = draft.segments.map((segment) => segment.toUpperCase())),
  queryWrong: inQuery((dice) => encode(badText(dice))),
  queryNumber: inQuery((dice) => encode(dice.pick([...badNumbers, ...noNumbers]).json)),
  queryEscape: inQuery((dice) => dice.pick(badEscapes)),
  queryLong: inQuery((dice) => encode(longText(dice, 20_000))),
  queryCursor: (draft, dice) =>
    void (draft.query = [...draft.query.filter((part) => !part.startsWith('cursor=')), `cursor=${dice.pick(badCursors)}`]),
  queryUnknown: ({ query }, dice) => void query.push(`${encode(dice.pick(badKeys))}=${encode(badText(dice))}`),
  queryJunk: ({ query }, dice) => void query.push(dice.pick(['&', '&&&=', '=', '=&=', '?', '#', '?a=b', 'a', '%', '\0', '+', ';a=b;c'])),
  queryBrackets: ({ route, query }, dice) => {
    const brackets = dice.pick(['[]', '[0]', '[a]', '[__proto__][admin]', '.a', '[', '[$gt]', '%5B%5D']);
    query.push(`${dice.pick(queryNames(route))}${brackets}=1`);
  },
  queryRepeated: ({ query }, dice) => {
    const parts = query.length > 0 ? [...query] : ['pageSize=1', 'cursor=x', 'count=true'];
    query.push(...Array.from({ length: dice.pick([1, 2, 1_000]) }, () => dice.pick(parts)));
  },
  contentType: inHeader('content-type', contentTypes),
  contentTypeMissing: ({ headers }) => void delete headers['content-type'],
  contentLength: inHeader('content-length', badLengths),
  idempotencyKey: inHeader('idempotency-key', badIdempotencyKeys),
  // A handful of good keys over and over: now and then for the same request, mostly for another one.
  idempotencyKeyReused: inHeader('idempotency-key', ['key-1', 'key-2', 'key-3']),
  ifMatch: inHeader('if-match', badTags),
  ifNoneMatch: inHeader('if-none-match', badTags),
  authorization: inHeader('authorization', badAuthorizations),
  // For an unknown key the service looks into the database at most once a second: these wait for a turn, so there are few.
  strangerToken: ({ headers }, dice) => void (dice.chance(0.02) && (headers.authorization = strangerToken)),
  tokenTampered: ({ headers }) => {
    const token = headers.authorization ?? 'Bearer x';
    headers.authorization = `${token.slice(0, -5)}${token.endsWith('AAAAA') ? 'BBBBB' : 'AAAAA'}`;
  },
  otherHeader: ({ headers }, dice) => {
    const [name, values] = dice.pick(otherHeaders);
    headers[name] = dice.pick(values);
  },
  method: (draft, dice) =>
    void (draft.method = dice.pick(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', dice.pick(METHODS)])),
} satisfies Record<string, Spoiler>;

type Flaw = keyof typeof flaws;
export const flawNames = Object.keys(flaws) as Flaw[];

const named = (prefix: string): Flaw[] => flawNames.filter((name) => name.startsWith(prefix));
const ofBody = named('body');
const ofText = named('text');
const ofPath = named('path');
const ofQuery = named('query');
const ofRest = flawNames.filter((name) => ![ofBody, ofText, ofPath, ofQuery].some((group) => group.includes(name)));

const hasArray = ({ properties = {} }: Shape = {}): boolean => Object.values(properties).some((property) => typeOf(property) === 'array');

/** What an operation takes is spoilt more often; what it does not take is sent to it as well. */
function groupsFor({ body, query, params }: Route): Flaw[][] {
  const groups = [ofBody, ofText, ofPath, ofQuery, ofRest, ofRest];
  if (body) groups.push(ofBody, ofBody, ofBody, ['bodyBorder'], ['bodyBorder', 'bodyBadText', 'bodyWrongValue']);
  if (hasArray(body)) groups.push(['bodyHugeArray']);
  if (query) groups.push(ofQuery, ofQuery, query.properties.cursor ? ['queryCursor'] : ofQuery);
  if (params) groups.push(ofPath);
  return groups;
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
  const faults = seen.status >= 500 ? [`status ${seen.status}${detailOf(seen)}`] : [];
  const type = String(seen.headers['content-type'] ?? 'none');
  if (!/^application\/problem\+json(;|$)/.test(type)) faults.push(`content type ${type}`);
  // An answer to HEAD has no body to look at.
  return seen.method === 'HEAD' ? faults : [...faults, ...faultsOfBody(seen)];
}

function faultsOfBody({ status, headers, body }: Seen): string[] {
  const problem = parse(body);
  if (!isPlain(problem)) return ['the body is no JSON object'];
  const { code, requestId } = problem;
  const faults = ['type', 'title', 'code', 'detail', 'requestId']
    .filter((field) => typeof problem[field] !== 'string' || problem[field] === '')
    .map((field) => `no ${field}`);
  if (problem.status !== status) faults.push(`status ${String(problem.status)} in the body of a ${status}`);
  if (typeof code !== 'string' || !Object.hasOwn(problems, code)) faults.push(`code ${String(code)} is not on the list`);
  // The answer to a repeated Idempotency-Key is the first one, byte for byte: it names the request that was carried out.
  if (headers['idempotency-replayed'] !== 'true' && headers['x-request-id'] !== requestId) {
    faults.push(`x-request-id ${String(headers['x-request-id'])} is not requestId ${String(requestId)}`);
  }
  return faults;
}

function detailOf({ body }: Seen): string {
  const problem = parse(body);
  return isPlain(problem) && typeof problem.detail === 'string' ? ` ${problem.detail}` : '';
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** One line to know the request by. */
export function describeAttempt({ index, operation, caller, flaws, request }: Attempt): string {
  const { method, url, headers, payload = '' } = request;
  const shown = [url, { ...headers, ...(headers.authorization?.startsWith('Bearer ey') && { authorization: '…' }) }, String(payload)];
  return `#${index} ${operation} as ${caller} (${flaws.join(', ')}): ${method} ${shown.map(short).join(' ')}`;
}

function short(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 300 ? `${text.slice(0, 200)}… ${text.length} … ${text.slice(-60)}` : text;
}
