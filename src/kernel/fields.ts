import { Problem } from './problem.ts';

/** Parses the query parameter `fields=id, title`. Without the parameter, all top-level fields are returned. */
export function readFields<const F extends string>(text: string | undefined, allowed: readonly F[]): ReadonlySet<F> {
  const requested = (text ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const unknown = requested.filter((name) => !allowed.some((field) => field === name));
  if (unknown.length > 0) {
    const message = `unknown field ${unknown.slice(0, 5).join(', ').slice(0, 200)}; allowed are ${allowed.join(', ')}`;
    throw new Problem('invalid_input', `fields: ${message}`, {
      errors: [{ in: 'query', field: 'fields', code: 'unknown', message }],
      extra: { allowed },
    });
  }
  return new Set(requested.length === 0 ? allowed : (requested as F[]));
}

export function pickFields<T extends object>(whole: T, fields: ReadonlySet<string>): Partial<T> {
  return Object.fromEntries(Object.entries(whole).filter(([name]) => fields.has(name))) as Partial<T>;
}
