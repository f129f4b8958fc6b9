import { Problem } from './problem.ts';

type Fields = Record<string, unknown>;

/**
 * Lets a client read an object, change one field and send the whole object back. Read-only fields with their current value are ignored.
 * A read-only field with another value is an error, so that no change is ignored silently. `hints` name the operation that changes a field.
 */
export function refuseReadOnlyChanges(sent: object, current: object, names: readonly string[], hints: Record<string, string> = {}): void {
  const changed = names.filter((name) => differs((sent as Fields)[name], (current as Fields)[name]));
  if (changed.length === 0) return;
  const errors = changed.map((field) => {
    const next = hints[field] ?? 'Leave it out, or read the object again and send its current value.';
    return { in: 'body' as const, field, code: 'read_only', message: `${field} cannot be changed here. ${next}` };
  });
  throw new Problem('rule_violation', errors[0]?.message, { errors });
}

/** Removes fields that equal the current value. A time that is sent back unchanged must not be converted again. */
export function withoutUnchanged<T extends object>(sent: T, current: object, names: readonly (keyof T & string)[]): T {
  const unchanged = new Set<string>(names.filter((name) => !differs(sent[name], (current as Fields)[name])));
  return Object.fromEntries(Object.entries(sent).filter(([name]) => !unchanged.has(name))) as T;
}

const differs = (sent: unknown, current: unknown): boolean => sent !== undefined && !sameJson(sent, current);

/** Compares JSON values. The order of fields does not matter. */
function sameJson(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && sameJson((a as Fields)[name], (b as Fields)[name]))
  );
}
