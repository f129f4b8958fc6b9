import { sql } from 'kysely';
import type { Statement } from './pipeline.ts';

/** The rows of a statement as one row, a list for each column: hundreds of rows are read in a quarter of the time. */
export type Columns<Row> = { [Name in keyof Row]: Row[Name][] };

export const inColumns = (names: readonly string[], rows: Statement): Statement => sql`
  select ${sql.join(names.map((name) => sql`coalesce(to_json(array_agg(${sql.ref(name)})), '[]') as ${sql.ref(name)}`))} from (${rows}) as one`;

/** The text of an array as PostgreSQL reads it: for hundreds of values said several times faster than by `pg`. */
export const numberList = (values: readonly (number | null)[]): string => `{${values.map((value) => value ?? 'null').join(',')}}`;

export const textList = (values: readonly (string | null)[]): string => `{${values.map(quoted).join(',')}}`;

const mustBeEscaped = /["\\]/;

function quoted(text: string | null): string {
  if (text === null) return 'null';
  return mustBeEscaped.test(text) ? `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"` : `"${text}"`;
}
