/** The text of an array as PostgreSQL reads it: for hundreds of values said several times faster than by `pg`. */
export const numberList = (values: readonly (number | null)[]): string => `{${values.map((value) => value ?? 'null').join(',')}}`;

export const textList = (values: readonly (string | null)[]): string => `{${values.map(quoted).join(',')}}`;

const mustBeEscaped = /["\\]/;

function quoted(text: string | null): string {
  if (text === null) return 'null';
  return mustBeEscaped.test(text) ? `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"` : `"${text}"`;
}
