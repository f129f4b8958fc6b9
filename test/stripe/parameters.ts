import { invalidRequest, missingParameter, unknownParameter } from './errors.ts';
import type { Form, FormValue } from './form.ts';

/** Checks a value of a form and converts it. `name` is the full name of the parameter, for example `metadata[order]`. */
type Check<T> = (value: FormValue, name: string) => T;
export type Fields = Record<string, Check<unknown>>;
export type Values<F extends Fields> = { [K in keyof F]?: ReturnType<F[K]> };

/** Converts a form. Names that `fields` does not contain are errors, and so are missing `required` names. */
export function readParameters<F extends Fields, R extends keyof F & string = never>(
  fields: F,
  form: Form,
  required: readonly R[] = [],
): Values<F> & { [K in R]: ReturnType<F[K]> } {
  const values = hash(fields)(form, '');
  for (const name of required) if (values[name] === undefined) throw missingParameter(name);
  return values as Values<F> & { [K in R]: ReturnType<F[K]> };
}

export const hash =
  <F extends Fields>(fields: F): Check<Values<F>> =>
  (value, name) => {
    if (typeof value === 'string') throw invalidRequest('Invalid object', { param: name });
    const values: Record<string, unknown> = {};
    for (const [key, inner] of Object.entries(value)) {
      const full = name ? `${name}[${key}]` : key;
      const check = Object.hasOwn(fields, key) ? fields[key] : undefined;
      if (!check) throw unknownParameter(full);
      values[key] = check(inner, full);
    }
    return values as Values<F>;
  };

export const list =
  <T>(item: Check<T>): Check<T[]> =>
  (value, name) => {
    const keys = typeof value === 'string' ? [] : Object.keys(value);
    if (typeof value === 'string' || keys.some((key, i) => key !== String(i))) throw invalidRequest('Invalid array', { param: name });
    return Object.values(value).map((inner, i) => item(inner, `${name}[${i}]`));
  };

export const text =
  (maxLength = 5000): Check<string> =>
  (value, name) => {
    if (typeof value !== 'string') throw invalidRequest('Invalid string', { param: name });
    if (value === '') throw emptyValue(name);
    if (value.length > maxLength) {
      throw invalidRequest(`Invalid ${name}: must be at most ${maxLength} characters`, { param: name });
    }
    return value;
  };

export const integer =
  ({ min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = {}): Check<number> =>
  (value, name) => {
    const code = 'parameter_invalid_integer';
    if (value === '') throw emptyValue(name);
    if (typeof value !== 'string' || !/^-?\d{1,15}$/.test(value)) {
      throw invalidRequest(`Invalid integer: ${shown(value)}`, { code, param: name });
    }
    const number = Number(value);
    if (number < min) throw invalidRequest(`This value must be greater than or equal to ${min}.`, { code, param: name });
    if (number > max) throw invalidRequest(`This value must be less than or equal to ${max}.`, { code, param: name });
    return number;
  };

/** Amounts are positive integers with at most 8 digits. */
export const amount = integer({ min: 1, max: 99_999_999 });

export const flag: Check<boolean> = (value, name) => {
  if (value !== 'true' && value !== 'false') throw invalidRequest(`Invalid boolean: ${shown(value)}`, { param: name });
  return value === 'true';
};

export const oneOf =
  <const T extends string>(...choices: T[]): Check<T> =>
  (value, name) => {
    const found = choices.find((choice) => choice === value);
    if (!found) throw invalidRequest(`Invalid ${name}: must be one of ${choices.join(', ')}`, { param: name });
    return found;
  };

const email = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
export const emailAddress: Check<string> = (value, name) => {
  const address = text(800)(value, name);
  if (!email.test(address)) throw invalidRequest(`Invalid email address: ${address}`, { code: 'email_invalid', param: name });
  return address;
};

/** Up to 50 keys of 40 characters, with values of 500 characters. An empty value removes the key. */
export const metadata: Check<Record<string, string>> = (value, name) => {
  if (value === '') return {};
  if (typeof value === 'string') throw invalidRequest('Invalid object', { param: name });
  const pairs = Object.entries(value);
  if (pairs.length > 50) throw invalidRequest('Metadata can have up to 50 keys.', { param: name });
  for (const [key, inner] of pairs) {
    const param = `${name}[${key}]`;
    if (typeof inner !== 'string') throw invalidRequest('Metadata values must be strings', { param });
    if (key.length > 40) throw invalidRequest(`Metadata keys have at most 40 characters: '${key}'`, { param });
    if (inner.length > 500) throw invalidRequest('Metadata values can have up to 500 characters.', { param });
  }
  return Object.fromEntries(pairs.filter(([, inner]) => inner !== '')) as Record<string, string>;
};

interface TimeRange {
  gt?: number;
  gte?: number;
  lt?: number;
  lte?: number;
}

const bounds = { gt: integer(), gte: integer(), lt: integer(), lte: integer() };

/** `created=1` is the same as `created[gte]=1&created[lte]=1`. */
const timeRange: Check<TimeRange> = (value, name) => {
  if (typeof value !== 'string') return hash(bounds)(value, name);
  const time = integer()(value, name);
  return { gte: time, lte: time };
};

export const isWithin = (time: number, { gt, gte, lt, lte }: TimeRange): boolean =>
  !(
    (gt !== undefined && time <= gt) ||
    (gte !== undefined && time < gte) ||
    (lt !== undefined && time >= lt) ||
    (lte !== undefined && time > lte)
  );

export const expandable = { expand: list(text()) };

export const listing = {
  ...expandable,
  created: timeRange,
  limit: integer({ min: 1, max: 100 }),
  starting_after: text(),
  ending_before: text(),
};

const shown = (value: FormValue): string => (typeof value === 'string' ? value : JSON.stringify(value));

const emptyValue = (name: string) =>
  invalidRequest(
    `You passed an empty string for '${name}'. We assume empty values are an attempt to unset a parameter; however '${name}' cannot be unset. You should remove '${name}' from your request or supply a non-empty value.`,
    { code: 'parameter_invalid_empty', param: name },
  );
