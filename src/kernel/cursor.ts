import { Problem } from './problem.ts';
import type { Page, PageQuery } from './schema.ts';

const defaultPageSize = 25;

/** The last key of a page, made opaque: a list goes on after it, whatever was added or removed meanwhile. */
export function encodeCursor(key: readonly (string | number)[]): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(key))))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

/** `time` is a number too, of milliseconds: beyond these years the database has no place for it. */
const latestTime = Date.UTC(9999, 11, 31);
const isPart = {
  string: (part: unknown) => typeof part === 'string',
  number: (part: unknown) => Number.isSafeInteger(part),
  time: (part: unknown) => Number.isSafeInteger(part) && Math.abs(part as number) <= latestTime,
};

type Shape = readonly (keyof typeof isPart)[];

function readKey(cursor: string): unknown {
  try {
    const bytes = Uint8Array.from(atob(cursor.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    // Not base64, not UTF-8 or not JSON: the same answer as a wrong shape.
    return undefined;
  }
}

const hasShape = (key: unknown, shape: Shape): boolean =>
  Array.isArray(key) && key.length === shape.length && shape.every((type, i) => isPart[type](key[i]));

/** For an operation that also accepts cursors of an earlier shape. */
export const isCursor = (cursor: string, shape: Shape): boolean => hasShape(readKey(cursor), shape);

/** `shape` says of which types the key is made; anything else did not come from us. */
export function decodeCursor<const S extends Shape>(
  cursor: string,
  shape: S,
  field = 'cursor',
): { -readonly [I in keyof S]: S[I] extends 'string' ? string : number } {
  const key = readKey(cursor);
  if (hasShape(key, shape)) return key as never;
  const message = 'Pass what the page before gave for it, unchanged';
  throw new Problem('invalid_input', message, { errors: [{ in: 'query', field, code: 'cursor', message }] });
}

/** Lists in the order of their ids go on after this one. */
export const afterId = (query: PageQuery): number => (query.cursor === undefined ? 0 : decodeCursor(query.cursor, ['number'])[0]);

/** How many rows to ask for: one more than the page, which tells whether there is a next one. */
export const rowsToFetch = (query: PageQuery): number => (query.pageSize ?? defaultPageSize) + 1;

/** Cuts the extra row off and points the cursor at the last one kept. */
export function toPage<Row, Item>(
  rows: readonly Row[],
  query: PageQuery,
  key: (row: Row) => readonly (string | number)[],
  item: (row: Row) => Item,
  total?: number,
): Page<Item> {
  const size = query.pageSize ?? defaultPageSize;
  const kept = rows.slice(0, size);
  const last = kept.at(-1);
  return {
    data: kept.map(item),
    nextCursor: rows.length > size && last !== undefined ? encodeCursor(key(last)) : null,
    ...(total !== undefined && { total }),
  };
}
