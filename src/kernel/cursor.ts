import { Problem } from './problem.ts';
import type { Page, PageQuery } from './schema.ts';
import { isStorable } from './storable-text.ts';

const defaultPageSize = 25;

/** Encodes the sort key of a page's last row. The next page starts after that key, even if rows were added or removed in between. */
export function encodeCursor(key: readonly (string | number)[]): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(key))))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

/** A `time` is a number of milliseconds. The limits keep it within the range of a PostgreSQL timestamp. */
const earliestTime = Date.parse('0001-01-01');
const latestTime = Date.UTC(9999, 11, 31);
const isPart = {
  string: (part: unknown) => typeof part === 'string' && isStorable(part),
  number: (part: unknown) => Number.isSafeInteger(part),
  time: (part: unknown) => Number.isSafeInteger(part) && (part as number) >= earliestTime && (part as number) <= latestTime,
};

type Shape = readonly (keyof typeof isPart)[];

function readKey(cursor: string): unknown {
  try {
    const bytes = Uint8Array.from(atob(cursor.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    // The cursor is not base64, UTF-8 or JSON. The caller reports the same error as for a key of the wrong shape.
    return undefined;
  }
}

const hasShape = (key: unknown, shape: Shape): boolean =>
  Array.isArray(key) && key.length === shape.length && shape.every((type, i) => isPart[type](key[i]));

/** Whether the cursor has the types of `shape`. For operations that also accept cursors of an older shape. */
export const isCursor = (cursor: string, shape: Shape): boolean => hasShape(readKey(cursor), shape);

/** Where the request has the cursor. */
export interface CursorField {
  in: 'query' | 'body';
  field: string;
}

/** Throws `invalid_input` when the cursor does not have the types of `shape`. */
export function decodeCursor<const S extends Shape>(
  cursor: string,
  shape: S,
  sent: CursorField = { in: 'query', field: 'cursor' },
): { -readonly [I in keyof S]: S[I] extends 'string' ? string : number } {
  const key = readKey(cursor);
  if (hasShape(key, shape)) return key as never;
  const message = 'The cursor is not valid. Send the value that the previous page returned, unchanged.';
  throw new Problem('invalid_input', message, { errors: [{ ...sent, code: 'cursor', message }] });
}

/** For lists that are sorted by id: returns the id after which the page starts. It is 0 for the first page. */
export const afterId = (query: PageQuery): number => (query.cursor === undefined ? 0 : decodeCursor(query.cursor, ['number'])[0]);

/** The page size plus one. The extra row shows that there is a next page. */
export const rowsToFetch = (query: PageQuery): number => (query.pageSize ?? defaultPageSize) + 1;

/** Removes the extra row and sets the cursor to the last row of the page. */
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
