import type { Dice } from '../random.ts';
import { badDates, badKeys, badNumbers, badTexts, longTexts, Raw } from './values.ts';

export interface Targets {
  /** Valid tokens by the name of their user. */
  tokens: Record<string, string>;
  /** For some operations, the names of the only users that may send them. `tokens` has the same names. */
  reserved: Record<string, readonly string[]>;
  /** Existing ids, by the path segment before the id or by the field name, so that requests are not all refused with 404. */
  ids: Record<string, readonly number[]>;
  emails: readonly string[];
}

/** The parts of JSON Schema that the contracts use. */
export interface Shape {
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

export const typeOf = ({ type = '' }: Shape): string => (Array.isArray(type) ? (type[0] ?? '') : type);

/** Returns the example, or a random value that the schema allows. Ids are replaced by existing ids. */
export function goodValue(schema: unknown, example: unknown, targets: Targets, dice: Dice): unknown {
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

export const isPlain = (value: unknown): value is Record<string, unknown> =>
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
  // The cursor is left out, because a valid cursor comes only from a previous page.
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

export const badText = (dice: Dice): string => dice.pick(dice.pick(badTexts));

export const longText = (dice: Dice, longest: number): string => dice.pick(longTexts)(dice.pick([300, 5_000, longest]));

/** Returns a value of a random type. */
export const wrongValue = (dice: Dice): unknown =>
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

/** Returns a value at a limit of the schema, or one step above or below it, where the contract and the database may disagree. */
export function borderValue(shape: Shape, dice: Dice): unknown {
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

/** Returns a new e-mail address that is long before or after the @, because each of these parts may have its own limit. */
function borderEmail(length: number, dice: Dice): string {
  const domain = dice.pick(['b.example', `${`${'d'.repeat(60)}.`.repeat(3)}example`]);
  const name = String(dice.below(1e9));
  return `${name.padEnd(length - domain.length - 1, 'a')}@${domain}`;
}

/** Replaces one value of the tree by an invalid value. Usually it replaces a leaf, and a leaf of this type if the tree has one. */
export function replaceOneValue(value: unknown, shape: Shape, dice: Dice, bad: (shape: Shape) => unknown, type = ''): unknown {
  if (Array.isArray(value) && value.length > 0 && type !== 'array' && dice.chance(0.7)) {
    const at = dice.below(value.length);
    return value.map((item, i) => (i === at ? replaceOneValue(item, shape.items ?? {}, dice, bad, type) : item));
  }
  if (!isPlain(value) || dice.chance(0.1)) return bad(shape);
  const properties = shape.properties ?? {};
  const keys = Object.keys(shape.properties ?? value);
  const fitting = keys.filter((key) => typeOf(properties[key] ?? {}) === type && !properties[key]?.enum);
  if (keys.length === 0) return bad(shape);
  const key = dice.pick(fitting.length > 0 && dice.chance(0.8) ? fitting : keys);
  return { ...value, [key]: replaceOneValue(value[key], properties[key] ?? {}, dice, bad, type) };
}

/** Percent-encodes text for a URL. Lone surrogates are replaced, because `encodeURIComponent` refuses them. */
export const encode = (text: string): string => encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '\ufffd'));

/** Like `JSON.stringify`, but supports `Raw` text and the key `__proto__`. */
export function write(value: unknown): string {
  if (value instanceof Raw) return value.json;
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  if (!isPlain(value)) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return `{${fields.map(([key, inner]) => `${JSON.stringify(key)}:${write(inner)}`).join(',')}}`;
}

/** Returns the JSON text with one more field. It works on text, because an object cannot have the same key twice. */
export function withField(body: unknown, key: string, value: unknown): Raw {
  const text = write(isPlain(body) ? body : {});
  const field = `${JSON.stringify(key)}:${write(value)}`;
  return new Raw(text === '{}' ? `{${field}}` : `${text.slice(0, -1)},${field}}`);
}
