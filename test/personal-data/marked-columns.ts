import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';

type Queryable = Pick<pg.Pool, 'query'>;

/** Part of every name, e-mail address and document that the test types. It is lower case, because a search may store lower case. */
export const canary = 'zqcanary';

const marker = /^Personal data\. Ends with: (.+)$/;

/** Reads the marks of all columns: the rules that end the data, by column. A mark without rules has an empty list. */
export async function readMarks(db: Queryable): Promise<Map<string, string[]>> {
  const { rows } = await db.query<{ column: string; mark: string }>(
    `select c.relname || '.' || a.attname as column, d.description as mark
       from pg_class c join pg_attribute a on a.attrelid = c.oid join pg_description d on d.objoid = c.oid and d.objsubid = a.attnum
      where c.relnamespace = 'public'::regnamespace and d.description like 'Personal%' order by 1`,
  );
  return new Map(rows.map(({ column, mark }) => [column, marker.exec(mark)?.[1]?.split(', ') ?? []]));
}

/** The columns of all tables that can contain text, except those of partitions, which their parent returns too. */
async function textColumns(db: Queryable): Promise<{ table: string; column: string; type: string }[]> {
  const { rows } = await db.query<{ table: string; column: string; type: string }>(
    `select c.relname as table, a.attname as column, a.atttypid::regtype::text as type
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and a.atttypid in ('text'::regtype, 'varchar'::regtype, 'bpchar'::regtype, 'name'::regtype, 'text[]'::regtype, 'varchar[]'::regtype,
                           'json'::regtype, 'jsonb'::regtype, 'xml'::regtype, 'tsvector'::regtype, 'bytea'::regtype)
      order by 1, 2`,
  );
  return rows;
}

/** Returns the columns that contain a canary. */
export const columnsWithCanary = (db: Queryable): Promise<string[]> => columnsContaining(db, canary);

/** Returns the columns that contain this text, which has no characters with a meaning in patterns except `_`. */
export async function columnsContaining(db: Queryable, wanted: string): Promise<string[]> {
  const searches = (await textColumns(db)).map(({ table, column, type }) => {
    const text = type === 'bytea' ? `encode("${column}", 'escape')` : `"${column}"::text`;
    return `select '${table}.${column}' as name where exists (select from "${table}" where ${text} ilike '%${wanted.replaceAll('_', '\\_')}%')`;
  });
  const { rows } = await db.query<{ name: string }>(searches.join(' union all '));
  return rows.map(({ name }) => name);
}

/** Returns those of the columns that have a value in at least one row. */
export async function columnsWithValue(db: Queryable, columns: readonly string[]): Promise<string[]> {
  const searches = columns.map((name) => {
    const [table, column] = name.split('.');
    return `select '${name}' as name where exists (select from "${table}" where "${column}" is not null)`;
  });
  return (await db.query<{ name: string }>(searches.join(' union all '))).rows.map(({ name }) => name);
}

/** Returns the files in this folder that contain a canary. */
export const filesWithCanary = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => readFileSync(path, 'latin1').toLowerCase().includes(canary));
