import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import type { TSchema } from 'typebox';
import { type InputError, Problem } from '../kernel/problem.ts';
import type { Input, Route } from '../kernel/route.ts';

const mostErrors = 100;

const strictly = withFormats(new Ajv({ allErrors: true, allowUnionTypes: true }));
/** Only path and query are text by nature and may become numbers and booleans. */
const coercing = withFormats(new Ajv({ allErrors: true, allowUnionTypes: true, coerceTypes: true }));

function withFormats(ajv: Ajv): Ajv {
  formats.default(ajv, ['date-time', 'date', 'email', 'uuid', 'uri']);
  return ajv;
}

export interface RawInput {
  params: unknown;
  query: unknown;
  body: unknown;
}

/** Compiles a route's schemas once; the answer checks a request against all of them and names every fault at once. */
export function inputChecker<R extends Route>(route: R): (raw: RawInput) => Input<R> {
  const params = route.params && coercing.compile(route.params);
  const query = route.query && coercing.compile(route.query);
  const body = route.body && strictly.compile(route.body);
  const queryNames = Object.keys(route.query?.properties ?? {});

  return (raw) => {
    refuseUnstorableText(raw);
    // A malformed id is like a missing one: nothing stands at that address.
    if (params && !params(raw.params)) throw new Problem('not_found');
    const known = pick(raw.query as Record<string, unknown>, queryNames);
    const errors: InputError[] = [];
    if (query && !query(known)) errors.push(...translate('query', query));
    if (body && raw.body === undefined) errors.push({ in: 'body', field: '', code: 'required', message: 'a JSON body is required' });
    else if (body && !body(raw.body)) errors.push(...translate('body', body));
    if (errors.length > 0) throw invalidInput(errors);
    return { params: raw.params, query: known, body: raw.body } as Input<R>;
  };
}

/** Throws, as a fault of ours, when an answer is not what the contract promises. */
export function outputChecker(schema: TSchema | undefined): (answer: unknown) => void {
  if (!schema) {
    return (answer) => {
      if (answer !== undefined) throw new Error('The handler answered a body that its contract does not have');
    };
  }
  const check = strictly.compile(schema);
  return (answer) => {
    if (!check(answer)) throw new Error(`The answer breaks its contract: ${strictly.errorsText(check.errors, { dataVar: 'answer' })}`);
  };
}

function invalidInput(errors: InputError[]): Problem {
  const shown = errors.slice(0, mostErrors);
  const detail = shown.slice(0, 3).map(({ field, message }) => (field ? `${field}: ${message}` : message));
  return new Problem('invalid_input', detail.join('; '), { errors: shown });
}

function pick(source: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.filter((name) => Object.hasOwn(source, name)).map((name) => [name, source[name]]));
}

function translate(place: InputError['in'], { errors, schema }: ValidateFunction): InputError[] {
  const properties = Object.keys((schema as { properties?: object }).properties ?? {});
  return (errors ?? [])
    .filter(({ keyword }) => keyword !== 'if')
    .map((error) => ({ in: place, field: fieldOf(error), code: codeOf(error), message: messageOf(error, properties) }));
}

function fieldOf({ instancePath, keyword, params }: ErrorObject): string {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (keyword === 'required') path.push(String(params.missingProperty));
  if (keyword === 'additionalProperties') path.push(String(params.additionalProperty));
  return path.reduce((field, part) => (/^\d+$/.test(part) ? `${field}[${part}]` : field ? `${field}.${part}` : part), '');
}

function codeOf({ keyword }: ErrorObject): string {
  return keyword === 'additionalProperties' ? 'unknown' : keyword;
}

function messageOf({ keyword, params, message, instancePath }: ErrorObject, properties: readonly string[]): string {
  if (keyword === 'required') return 'is required';
  if (keyword === 'enum') return `must be one of ${(params.allowedValues as unknown[]).join(', ')}`;
  if (keyword === 'minProperties') return 'must name at least one field to change';
  if (keyword === 'additionalProperties') {
    return instancePath === '' ? `is not a known field; known are ${properties.join(', ')}` : 'is not a known field';
  }
  return message ?? 'is not valid';
}

/** PostgreSQL cannot store NUL, and half a surrogate pair is no character: neither is what anyone meant. Walks without recursion, as depth is the sender's choice. */
function refuseUnstorableText({ params, query, body }: RawInput): void {
  const places = [
    ['path', params],
    ['query', query],
    ['body', body],
  ] as const;
  for (const [place, root] of places) {
    const pending: unknown[] = [root];
    while (pending.length > 0) {
      const value = pending.pop();
      if (typeof value === 'string' && unstorable(value)) {
        if (place === 'path') throw new Problem('not_found');
        throw invalidInput([{ in: place, field: '', code: 'characters', message: 'text must not contain NUL or unpaired surrogates' }]);
      }
      if (typeof value === 'object' && value !== null) {
        for (const key of Object.keys(value)) pending.push(key, (value as Record<string, unknown>)[key]);
      }
    }
  }
}

const unstorable = (text: string): boolean => text.includes('\0') || !(text as string & { isWellFormed(): boolean }).isWellFormed();
