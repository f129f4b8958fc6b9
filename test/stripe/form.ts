import { invalidRequest } from './errors.ts';

/** A decoded form. Lists are objects with the keys 0, 1, 2, …, because `a[0]=x` looks the same for lists and objects. */
export type FormValue = string | Form;
export interface Form {
  [name: string]: FormValue;
}

const nameFormat = /^([^[\]]+)((?:\[[^[\]]*\])*)$/;

/** Decodes Stripe's bracket encoding: `a[b][0]=x`, `a[]=x`. */
export function parseForm(text: string): Form {
  const form: Form = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const [, first = '', rest = ''] = nameFormat.exec(name) ?? [];
    if (!first) throw malformed(name);
    insert(form, [first, ...[...rest.matchAll(/\[([^[\]]*)\]/g)].map((match) => match[1] ?? '')], value, name);
  }
  return form;
}

function insert(form: Form, path: string[], value: string, name: string): void {
  let at = form;
  for (const [depth, part] of path.entries()) {
    const key = part === '' ? String(Object.keys(at).length) : part;
    if (key === '__proto__') throw malformed(name);
    if (depth === path.length - 1) {
      if (Object.hasOwn(at, key)) throw malformed(name);
      at[key] = value;
      return;
    }
    const next = Object.hasOwn(at, key) ? at[key] : (at[key] = {});
    if (typeof next !== 'object') throw malformed(name);
    at = next;
  }
}

const malformed = (name: string) => invalidRequest(`Invalid form encoding of the parameter ${name}`, { param: name });
