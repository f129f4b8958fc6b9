import type { Dice } from '../random.ts';
import { badDates, badKeys, badNumbers, badTexts, longTexts, Raw } from './values.ts';

export interface Targets {
  /** Good tokens by the name of who has them. */
  tokens: Record<string, string>;
  /** Operations that only these call, by their names in `tokens`. */
  reserved: Record<string, readonly string[]>;
  /** Real ids by the part of the path before them or the field they stand in, so that requests get past "not found". */
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

/** The example, or whatever the schema allows, as that knows more fields; with ids and addresses that exist. */
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

export const badText = (dice: Dice): string => dice.pick(dice.pick(badTexts));

export const longText = (dice: Dice, longest: number): string => dice.pick(longTexts)(dice.pick([300, 5_000, longest]));

/** A value of any type, whatever was expected. */
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

/** On the border of what the schema allows, and a step to either side: here contract and database may disagree. */
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

/** Long before the @ or long behind it: what is made of one half may have other limits than the whole. Each is new, as is its person. */
function borderEmail(length: number, dice: Dice): string {
  const domain = dice.pick(['b.example', `${`${'d'.repeat(60)}.`.repeat(3)}example`]);
  const name = String(dice.below(1e9));
  return `${name.padEnd(length - domain.length - 1, 'a')}@${domain}`;
}

/** Puts something bad in one place of the tree, most often in a leaf, and where there is one in a leaf of this type. */
export function spoil(value: unknown, shape: Shape, dice: Dice, bad: (shape: Shape) => unknown, type = ''): unknown {
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

/** As it may stand in an address. */
export const encode = (text: string): string => encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '\ufffd'));

/** Like `JSON.stringify`, with raw text, and with `__proto__` as a key like any other. */
export function write(value: unknown): string {
  if (value instanceof Raw) return value.json;
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  if (!isPlain(value)) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return `{${fields.map(([key, inner]) => `${JSON.stringify(key)}:${write(inner)}`).join(',')}}`;
}

/** Adds a field to the text, as an object could not hold two of one name. */
export function withField(body: unknown, key: string, value: unknown): Raw {
  const text = write(isPlain(body) ? body : {});
  const field = `${JSON.stringify(key)}:${write(value)}`;
  return new Raw(text === '{}' ? `{${field}}` : `${text.slice(0, -1)},${field}}`);
}
