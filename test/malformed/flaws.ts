import { METHODS } from 'node:http';
import type { Route } from '../../src/kernel/route.ts';
import type { Dice } from '../random.ts';
import {
  badText,
  borderValue,
  encode,
  isPlain,
  longText,
  replaceOneValue,
  type Shape,
  typeOf,
  withField,
  write,
  wrongValue,
} from './samples.ts';
import {
  backtrackingTexts,
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
  contentTypes,
  deepValues,
  hugeArrays,
  noNumbers,
  otherHeaders,
  strangerToken,
  wideObjects,
} from './values.ts';

/** A valid request before flaws are added to it. */
export interface Draft {
  route: Route;
  method: string;
  /** The segments of the path, percent-encoded. */
  segments: string[];
  /** The parts `name=value` of the query, percent-encoded. */
  query: string[];
  /** A tree of JSON values. The text of a `Raw` value in the tree is written to the JSON unchanged. */
  body: unknown;
  /** Bytes to send instead of `body`. */
  bytes: string | Buffer | null;
  headers: Record<string, string>;
  remoteAddress: string;
}

export type Spoiler = (draft: Draft, dice: Dice) => void;

const inBody =
  (bad: (dice: Dice, shape: Shape) => unknown, type = ''): Spoiler =>
  (draft, dice) => {
    draft.body = replaceOneValue(draft.body, draft.route.body ?? {}, dice, (shape) => bad(dice, shape), type);
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

/** Replaces a parameter of the path, or the last segment if the path has no parameters. */
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

export const flaws = {
  bodyWrongValue: inBody(wrongValue),
  bodyBorder: inBody((dice, shape) => borderValue(shape, dice)),
  bodyLongText: inBody((dice) => longText(dice, 100_000), 'string'),
  bodyBacktrackingText: inBody((dice) => dice.pick(backtrackingTexts), 'string'),
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
  // The same few keys are used for many requests. Most of these requests differ from the first request with the key.
  idempotencyKeyReused: inHeader('idempotency-key', ['key-1', 'key-2', 'key-3']),
  ifMatch: inHeader('if-match', badTags),
  ifNoneMatch: inHeader('if-none-match', badTags),
  authorization: inHeader('authorization', badAuthorizations),
  // The service looks up an unknown signing key at most once a second, and such requests wait. So the test sends few of them.
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

export type Flaw = keyof typeof flaws;
export const flawNames = Object.keys(flaws) as Flaw[];

const named = (prefix: string): Flaw[] => flawNames.filter((name) => name.startsWith(prefix));
const ofBody = named('body');
const ofText = named('text');
const ofPath = named('path');
const ofQuery = named('query');
const ofRest = flawNames.filter((name) => ![ofBody, ofText, ofPath, ofQuery].some((group) => group.includes(name)));

const hasArray = ({ properties = {} }: Shape = {}): boolean => Object.values(properties).some((property) => typeOf(property) === 'array');

/** Returns the groups of flaws for an operation. Groups for parts that the operation has occur more often. Other parts get flaws too. */
export function groupsFor({ body, query, params }: Route): Flaw[][] {
  const groups = [ofBody, ofText, ofPath, ofQuery, ofRest, ofRest];
  if (body) groups.push(ofBody, ofBody, ofBody, ['bodyBorder'], ['bodyBorder', 'bodyBadText', 'bodyWrongValue']);
  if (hasArray(body)) groups.push(['bodyHugeArray']);
  if (query) groups.push(ofQuery, ofQuery, query.properties.cursor ? ['queryCursor'] : ofQuery);
  if (params) groups.push(ofPath);
  return groups;
}
