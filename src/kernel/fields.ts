import { Problem } from './problem.ts';

/** `fields=id, title` picks top-level fields of what is read; all of them when left out. */
export function readFields<const F extends string>(text: string | undefined, allowed: readonly F[]): ReadonlySet<F> {
  const asked = (text ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const unknown = asked.filter((name) => !allowed.some((field) => field === name));
  if (unknown.length > 0) {
    const message = `does not know ${unknown.slice(0, 5).join(', ').slice(0, 200)}; known are ${allowed.join(', ')}`;
    throw new Problem('invalid_input', `fields ${message}`, {
      errors: [{ in: 'query', field: 'fields', code: 'unknown', message }],
      extra: { allowed },
    });
  }
  return new Set(asked.length === 0 ? allowed : (asked as F[]));
}

export function pickFields<T extends object>(whole: T, fields: ReadonlySet<string>): Partial<T> {
  return Object.fromEntries(Object.entries(whole).filter(([name]) => fields.has(name))) as Partial<T>;
}
