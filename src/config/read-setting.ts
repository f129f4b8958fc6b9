import { parseDatabaseUrl } from '../kernel/database-url.ts';

/** An invalid setting. The message names the variable and the allowed values; the program does not start. */
export class ConfigError extends Error {}

export type Environment = Record<string, string | undefined>;

export function invalidSetting(name: string, value: string, allowed: string): ConfigError {
  return new ConfigError(`${name}=${value} is not valid: ${allowed}`);
}

export function text(env: Environment, name: string, fallback: string): string {
  const value = env[name];
  if (value === undefined) return fallback;
  if (value.trim() === '') throw invalidSetting(name, value, 'it must not be empty. Unset it to use the default');
  return value;
}

export function integer(env: Environment, name: string, fallback: number, min: number, max: number, also = ''): number {
  const value = env[name];
  if (value === undefined) return fallback;
  const number = Number(value);
  if (!/^\d+$/.test(value) || number < min || number > max) {
    throw invalidSetting(name, value, `it must be a whole number from ${min} to ${max}${also}`);
  }
  return number;
}

export function integerOrOff(env: Environment, name: string, fallback: number, min: number, max: number): number | null {
  return env[name] === 'off' ? null : integer(env, name, fallback, min, max, ' or off');
}

/** Reads a setting that has a fixed list of values. The first value is the default. */
export function choice<const T extends string>(env: Environment, name: string, allowed: readonly T[]): T {
  const value = env[name] ?? allowed[0] ?? '';
  const found = allowed.find((each) => each === value);
  if (found === undefined) throw invalidSetting(name, value, `it must be one of ${allowed.join(', ')}`);
  return found;
}

export function list<const T extends string>(env: Environment, name: string, allowed: readonly T[], fallback: readonly T[] = allowed): T[] {
  const value = env[name];
  if (value === undefined) return [...fallback];
  const parts = value.split(',').map((part) => part.trim());
  const isAllowed = (part: string): part is T => (allowed as readonly string[]).includes(part);
  if (!parts.every(isAllowed)) throw invalidSetting(name, value, `it must be a comma-separated list of ${allowed.join(', ')}`);
  return parts;
}

export function url(env: Environment, name: string, protocols: readonly string[]): string | null {
  const value = env[name];
  if (value === undefined) return null;
  const allowed = `it must be a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`;
  // The URL may contain a password, so the message does not show it.
  if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol)) throw invalidSetting(name, '…', allowed);
  return value;
}

/** A URL that may have several hosts. `targets` are the values of `target_session_attrs` that describe what the service does anyway. */
export function database(env: Environment, name: string, targets: readonly string[]): string | null {
  const value = env[name];
  if (value === undefined) return null;
  const parsed = parseDatabaseUrl(value);
  if (!parsed) {
    throw invalidSetting(
      name,
      '…',
      'it must be a URL such as postgresql://user:password@host/database. Separate several hosts with commas: postgresql://user:password@a:5432,b:5432/database',
    );
  }
  if (parsed.target === null || targets.includes(parsed.target)) return value;
  throw invalidSetting(name, '…', `target_session_attrs must be ${targets.join(' or ')}, or not set`);
}
