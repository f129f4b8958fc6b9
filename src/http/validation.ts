import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import type { TObject, TSchema } from 'typebox';
import { type InputError, Problem } from '../kernel/problem.ts';
import type { Input, Route, SignedBody } from '../kernel/route.ts';
import { isStorable } from '../kernel/storable-text.ts';

const maxErrors = 20;
const maxFieldDepth = 20;
const maxNameLength = 60;

/**
 * Collecting all errors of a large body takes too much time, and anonymous callers may send large bodies. Ajv cannot stop after a number of
 * errors. So all errors are collected only in bodies up to these limits. In larger bodies validation stops at the first error.
 */
const maxBytesForAllErrors = 8_192;
const maxValuesForAllErrors = 500;

/** Stops at the first error. Ajv checks `maxLength` before `pattern` and `format`, and `maxItems` before the items, so long input is cheap. */
const firstErrorAjv = withFormats(new Ajv({ allowUnionTypes: true }));
const allErrorsAjv = withFormats(new Ajv({ allErrors: true, allowUnionTypes: true, verbose: true }));

function withFormats(ajv: Ajv): Ajv {
  formats.default(ajv, ['date-time', 'email']);
  const { validate } = ajv.formats['date-time'] as { validate: (text: string) => boolean };
  // The format allows leap seconds, but neither JavaScript nor PostgreSQL knows them.
  return ajv.addFormat('date-time', (text) => validate(text) && !Number.isNaN(Date.parse(text)));
}

/** Compiles the schema at first use. Compiling all schemas at the start would take a second, and a process uses few of them. */
function compileLazily(ajv: Ajv, schema: TSchema): () => ValidateFunction {
  let compiled: ValidateFunction | undefined;
  return () => {
    compiled ??= ajv.compile(schema);
    return compiled;
  };
}

/** The returned function validates a value. It returns null if the value is valid, else the Ajv validator with the errors. */
function createValidator(schema: TSchema): (value: unknown, bytes: number) => ValidateFunction | null {
  const firstErrorValidator = compileLazily(firstErrorAjv, schema);
  const allErrorsValidator = compileLazily(allErrorsAjv, schema);
  return (value, bytes) => {
    const findFirstError = firstErrorValidator();
    if (findFirstError(value)) return null;
    if (bytes > maxBytesForAllErrors || hasMoreValuesThan(maxValuesForAllErrors, value)) return findFirstError;
    const findAllErrors = allErrorsValidator();
    findAllErrors(value);
    return findAllErrors;
  };
}

/** Stops counting at the limit. Does not recurse, because a client could send a value that is deep enough to overflow the stack. */
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
  /** True when the JSON text has no escaped NUL or surrogate, so that all its strings can be stored. */
  unescaped?: boolean;
  signed?: SignedBody | undefined;
}

/** Compiles the schemas of a route. The returned function validates a request; for a small request it reports up to 20 errors. */
export function inputChecker<R extends Route>(route: R): (raw: RawInput) => Input<R> {
  const params = route.params && compileLazily(firstErrorAjv, route.params);
  const query = route.query && createValidator(route.query);
  const body = route.body && createValidator(route.body);
  const defaultBody = isBodyOptional(route.body) ? {} : undefined;

  return ({ body: sent = defaultBody, ...rest }) => {
    const raw: RawInput = { ...rest, body: sent };
    // A malformed id is treated like an unknown id.
    const parsedParams = parseParameters(raw.params, route.params);
    if (params && !params()(parsedParams)) throw new Problem('not_found');
    const parsedQuery = parseParameters(raw.query, route.query);
    const wrongQuery = query?.(parsedQuery, 0);
    const wrongBody = raw.body === undefined ? null : body?.(raw.body, raw.bodyBytes ?? 0);
    const errors: InputError[] = [
      ...(wrongQuery ? translate('query', wrongQuery) : []),
      ...(wrongBody ? translate('body', wrongBody) : []),
    ];
    if (body && raw.body === undefined) errors.push({ in: 'body', field: '', code: 'required', message: 'a JSON body is required' });
    if (errors.length > 0) throw invalidInput(errors);
    // This runs after validation, because validation limits the size of the input.
    refuseUnstorableText(raw);
    return { params: parsedParams, query: parsedQuery, body: raw.body } as Input<R>;
  };
}

/** Clients may omit a body that has no required fields. */
export function isBodyOptional(schema: TSchema | undefined): boolean {
  const { type, required = [], minProperties = 0 } = (schema ?? {}) as { type?: string; required?: unknown[]; minProperties?: number };
  return type === 'object' && required.length === 0 && minProperties === 0;
}

/** The returned function throws when a result does not match the contract. Such a result is a bug, and the response is 500. */
export function outputChecker(schema: TSchema | undefined): (result: unknown) => void {
  if (!schema) {
    return (result) => {
      if (result !== undefined) throw new Error('The handler returned a body, but its contract has none');
    };
  }
  const compiled = compileLazily(firstErrorAjv, schema);
  return (result) => {
    const check = compiled();
    if (!check(result))
      throw new Error(`The result does not match its contract: ${firstErrorAjv.errorsText(check.errors, { dataVar: 'result' })}`);
  };
}

function invalidInput(errors: InputError[]): Problem {
  const detail = errors.slice(0, 3).map(({ field, message }) => (field ? `${field}: ${message}` : message));
  return new Problem('invalid_input', detail.join('; '), { errors: errors.slice(0, maxErrors) });
}

/** Converts path and query parameters, which arrive as strings, to the types of the schema. Unknown parameters are ignored. */
function parseParameters(texts: unknown, schema: TObject | undefined): Record<string, unknown> {
  if (!schema) return {};
  const known = Object.entries(schema.properties).filter(([name]) => Object.hasOwn(texts as object, name));
  return Object.fromEntries(
    known.map(([name, property]) => [
      name,
      parseParameter((texts as Record<string, unknown>)[name], (property as { type?: string | string[] }).type),
    ]),
  );
}

function parseParameter(text: unknown, types: string | string[] | undefined): unknown {
  if (typeof text !== 'string') return text;
  // If the schema allows several types, only the first is tried. A value that cannot be converted stays a string, and validation reports it.
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
    .slice(0, maxErrors)
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

/** Long field names of the request are shortened, so that the response does not repeat kilobytes of the request. */
const toField = (path: readonly string[]): string =>
  path.map(shortened).reduce((field, part) => (/^\d+$/.test(part) ? `${field}[${part}]` : field ? `${field}.${part}` : part), '');

const shortened = (name: string): string => (name.length > maxNameLength ? `${name.slice(0, maxNameLength)}…` : name);

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
  if (keyword === 'pattern') return patternMessage(parentSchema);
  if (keyword === 'minProperties') return 'must have at least one field to change';
  if (keyword === 'additionalProperties') {
    if (properties.length === 0) return 'is not a known field; this operation has no body fields';
    return instancePath === '' ? `is not a known field; allowed are ${properties.join(', ')}` : 'is not a known field';
  }
  return message ?? 'is not valid';
}

const typeNames: Record<string, string> = {
  integer: 'an integer',
  number: 'a number',
  string: 'a string',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
};

/** The message shows an example instead of the regular expression, because people understand an example more easily. */
function patternMessage(schema: ErrorObject['parentSchema']): string {
  const [example] = (schema as { examples?: unknown[] } | undefined)?.examples ?? [];
  return example === undefined
    ? 'does not have the right format, or is blank'
    : `does not have the right format; an example is ${JSON.stringify(example)}`;
}

/**
 * Refuses text that PostgreSQL cannot store: NUL and lone surrogates. Does not recurse, because a client could send a value that is deep
 * enough to overflow the stack.
 */
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
      if (typeof value === 'string' && !isStorable(value)) {
        if (place === 'path') throw new Problem('not_found');
        const field = toField(pathOf(part));
        throw invalidInput([{ in: place, field, code: 'characters', message: 'must not contain NUL or a lone surrogate' }]);
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

/** Returns an empty path for values that are nested deeper than any contract allows. */
function pathOf(part: Part): string[] {
  const path: string[] = [];
  for (let each: Part | null = part; each && path.length <= maxFieldDepth; each = each.of) if (each.name !== '') path.push(each.name);
  return path.length > maxFieldDepth ? [] : path.toReversed();
}
