import { createHash } from 'node:crypto';

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/**
 * Writes JSON as RFC 8785 defines: no whitespace, members sorted by the UTF-16 code units of their names, numbers and strings as in
 * ECMAScript.
 */
export function canonicalJson(value: Json): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (isList(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`;
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);

export const canonicalHash = (content: Json): string => createHash('sha256').update(canonicalJson(content)).digest('hex');
