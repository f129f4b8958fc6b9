import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import type { TObject, TSchema } from 'typebox';
import { type InputError, Problem } from '../kernel/problem.ts';
import type { Input, Route, SignedBody } from '../kernel/route.ts';

const mostErrors = 20;
const deepestTold = 20;
const longestNameTold = 60;

/**
 * Collecting every error takes time that grows with the body, and anyone may send one. Ajv cannot stop after a number of errors.
 * So errors are collected only in bodies of this size and with this many values; in larger ones validation stops at the first error.
 */
const mostBytesForAllErrors = 8_192;
const mostValuesForAllErrors = 500;

/** Stops at the first error. Ajv checks `maxLength` before `pattern` and `format`, and `maxItems` before the items. */
const quick = withFormats(new Ajv({ allowUnionTypes: true }));
const thorough = withFormats(new Ajv({ allErrors: true, allowUnionTypes: true, verbose: true }));

function withFormats(ajv: Ajv): Ajv {
  formats.default(ajv, ['date-time', 'email']);
  return ajv;
}

/** Compiled when it is first needed: a process uses few of the operations that it serves, and compiling them all takes a second. */
function whenNeeded(ajv: Ajv, schema: TSchema): () => ValidateFunction {
  let compiled: ValidateFunction | undefined;
  return () => {
    compiled ??= ajv.compile(schema);
    return compiled;
  };
}

/** Returns the validator that holds the errors, or null when the value is valid. */
function checker(schema: TSchema): (value: unknown, bytes: number) => ValidateFunction | null {
  const quickly = whenNeeded(quick, schema);
  const thoroughly = whenNeeded(thorough, schema);
  return (value, bytes) => {
    const fits = quickly();
    if (fits(value)) return null;
    if (bytes > mostBytesForAllErrors || hasMoreValuesThan(mostValuesForAllErrors, value)) return fits;
    const explain = thoroughly();
    explain(value);
    return explain;
  };
}

/** Stops counting at the limit. Does not recurse, because the sender decides how deep the value is. */
function hasMoreValuesThan(limit: number, root: unknown): boolean {
  const pending = [root];
  for (let seen = 0; seen < pending.length; seen++) {
    const value = pending[seen];
    if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) pending.push(part);
    if (pending.length > limit) return true;
  }
  return false;
}

export interface RawInput {
  params: unknown;
  query: unknown;
  body: unknown;
  bodyBytes?: number;
  /** No text in the body can hold what cannot be stored. */
  unescaped?: boolean;
  signed?: SignedBody | undefined;
}

/** Compiles a route's schemas once. The returned function validates a request and lists up to 20 errors of small requests at once. */
export function inputChecker<R extends Route>(route: R): (raw: RawInput) => Input<R> {
  const params = route.params && whenNeeded(quick, route.params);
  const query = route.query && checker(route.query);
  const body = route.body && checker(route.body);
  const nothing = mayBeLeftOut(route.body) ? {} : undefined;

  return ({ body: sent = nothing, ...rest }) => {
    const raw: RawInput = { ...rest, body: sent };
    // A malformed id is like a missing one: nothing stands at that address.
    const named = readTexts(raw.params, route.params);
    if (params && !params()(named)) throw new Problem('not_found');
    const known = readTexts(raw.query, route.query);
    const wrongQuery = query?.(known, 0);
    const wrongBody = raw.body === undefined ? null : body?.(raw.body, raw.bodyBytes ?? 0);
    const errors: InputError[] = [
      ...(wrongQuery ? translate('query', wrongQuery) : []),
      ...(wrongBody ? translate('body', wrongBody) : []),
    ];
    if (body && raw.body === undefined) errors.push({ in: 'body', field: '', code: 'required', message: 'a JSON body is required' });
    if (errors.length > 0) throw invalidInput(errors);
    // After validation, which bounds how much there is to look through.
    refuseUnstorableText(raw);
    return { params: named, query: known, body: raw.body } as Input<R>;
  };
}

/** A body in which nothing is required need not be sent. */
export function mayBeLeftOut(schema: TSchema | undefined): boolean {
  const { type, required = [], minProperties = 0 } = (schema ?? {}) as { type?: string; required?: unknown[]; minProperties?: number };
  return type === 'object' && required.length === 0 && minProperties === 0;
}

/** Throws, as a fault of ours, when an answer is not what the contract promises. */
export function outputChecker(schema: TSchema | undefined): (answer: unknown) => void {
  if (!schema) {
    return (answer) => {
      if (answer !== undefined) throw new Error('The handler answered a body that its contract does not have');
    };
  }
  const compiled = whenNeeded(quick, schema);
  return (answer) => {
    const check = compiled();
    if (!check(answer)) throw new Error(`The answer breaks its contract: ${quick.errorsText(check.errors, { dataVar: 'answer' })}`);
  };
}

function invalidInput(errors: InputError[]): Problem {
  const detail = errors.slice(0, 3).map(({ field, message }) => (field ? `${field}: ${message}` : message));
  return new Problem('invalid_input', detail.join('; '), { errors: errors.slice(0, mostErrors) });
}

/** Path and query are text by nature. What the schema knows becomes what the schema says it is, in its plain form only; the rest is ignored. */
function readTexts(texts: unknown, schema: TObject | undefined): Record<string, unknown> {
  if (!schema) return {};
  const known = Object.entries(schema.properties).filter(([name]) => Object.hasOwn(texts as object, name));
  return Object.fromEntries(
    known.map(([name, property]) => [
      name,
      readText((texts as Record<string, unknown>)[name], (property as { type?: string | string[] }).type),
    ]),
  );
}

function readText(text: unknown, types: string | string[] | undefined): unknown {
  if (typeof text !== 'string') return text;
  // Of a list of types the first is tried; what does not have its form stays text.
  const [type] = [types].flat();
  if (type === 'integer' && /^(0|-?[1-9]\d*)$/.test(text)) return Number(text);
  if (type === 'number' && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  if (type === 'boolean' && /^(true|false)$/.test(text)) return text === 'true';
  return text;
}

function translate(place: InputError['in'], { errors, schema }: ValidateFunction): InputError[] {
  const properties = Object.keys((schema as { properties?: object }).properties ?? {});
  return (errors ?? [])
    .filter(({ keyword }) => keyword !== 'if')
    .slice(0, mostErrors)
    .map((error) => ({ in: place, field: fieldOf(error), code: codeOf(error), message: messageOf(error, properties) }));
}

function fieldOf({ instancePath, keyword, params }: ErrorObject): string {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (keyword === 'required') path.push(String(params.missingProperty));
  if (keyword === 'additionalProperties') path.push(String(params.additionalProperty));
  return toField(path);
}

/** Names that the sender made up are shortened: a response must not repeat kilobytes of the request. */
const toField = (path: readonly string[]): string =>
  path.map(shortened).reduce((field, part) => (/^\d+$/.test(part) ? `${field}[${part}]` : field ? `${field}.${part}` : part), '');

const shortened = (name: string): string => (name.length > longestNameTold ? `${name.slice(0, longestNameTold)}…` : name);

function codeOf({ keyword }: ErrorObject): string {
  return keyword === 'additionalProperties' ? 'unknown' : keyword;
}

function messageOf({ keyword, params, message, instancePath, parentSchema }: ErrorObject, properties: readonly string[]): string {
  if (keyword === 'required') return 'is required';
  if (keyword === 'enum') return `must be one of ${(params.allowedValues as unknown[]).join(', ')}`;
  if (keyword === 'type')
    return `must be ${[params.type as string | string[]]
      .flat()
      .map((type) => typeNames[type] ?? type)
      .join(' or ')}`;
  if (keyword === 'pattern') return wrongForm(parentSchema);
  if (keyword === 'minProperties') return 'must name at least one field to change';
  if (keyword === 'additionalProperties') {
    if (properties.length === 0) return 'is not a known field; this operation takes no payload fields';
    return instancePath === '' ? `is not a known field; known are ${properties.join(', ')}` : 'is not a known field';
  }
  return message ?? 'is not valid';
}

const typeNames: Record<string, string> = {
  integer: 'a whole number',
  number: 'a number',
  string: 'a text',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
};

/** A pattern tells people little; an example tells them more. */
function wrongForm(schema: ErrorObject['parentSchema']): string {
  const [example] = (schema as { examples?: unknown[] } | undefined)?.examples ?? [];
  return example === undefined
    ? 'does not have the right form, or is blank'
    : `does not have the right form; an example is ${JSON.stringify(example)}`;
}

/** PostgreSQL cannot store NUL, and half a surrogate pair is no character: neither is what anyone meant. Walks without recursion, as depth is the sender's choice. */
function refuseUnstorableText({ params, query, body, unescaped }: RawInput): void {
  const places = [
    ['path', params],
    ['query', query],
    ['body', unescaped ? null : body],
  ] as const;
  for (const [place, root] of places) {
    const pending: Part[] = [{ value: root, name: '', of: null }];
    for (let part = pending.pop(); part; part = pending.pop()) {
      const { value } = part;
      if (typeof value === 'string' && unstorable(value)) {
        if (place === 'path') throw new Problem('not_found');
        const field = toField(pathOf(part));
        throw invalidInput([{ in: place, field, code: 'characters', message: 'must not contain NUL or half a surrogate pair' }]);
      }
      if (typeof value === 'object' && value !== null) {
        for (const [name, of] of Object.entries(value)) pending.push({ value: name, name: '', of: part }, { value: of, name, of: part });
      }
    }
  }
}

interface Part {
  value: unknown;
  name: string;
  of: Part | null;
}

/** Of what lies deeper than anything in a contract nothing is told. */
function pathOf(part: Part): string[] {
  const path: string[] = [];
  for (let each: Part | null = part; each && path.length <= deepestTold; each = each.of) if (each.name !== '') path.push(each.name);
  return path.length > deepestTold ? [] : path.toReversed();
}

const unstorable = (text: string): boolean => text.includes('\0') || !(text as string & { isWellFormed(): boolean }).isWellFormed();
