import { isUtf8 } from 'node:buffer';
import { Problem } from '../kernel/problem.ts';

/** Maps each accepted column, in lower case, to a column of the table `code_upload`. */
const targets = { code: 'code', itemid: 'item', item: 'item', session: 'session', name: 'name', document: 'document' } as const;
type Known = keyof typeof targets;

export type Column = (typeof targets)[Known];

export interface Header {
  /** The byte between two fields. */
  delimiter: number;
  /** The columns in the order of the file. */
  columns: readonly Column[];
  /** Whether the file refers to items by id or by name. */
  itemBy: 'id' | 'name';
}

const spelling = { code: 'code', itemid: 'itemId', item: 'item', session: 'session', name: 'name', document: 'document' };
const knownColumns = Object.values(spelling).join(', ');

/** The problem for a file that cannot be read at all. Errors of single rows are reported with `codes_rejected`. */
export function unreadable(code: string, message: string): Problem {
  return new Problem('malformed_body', message, { errors: [{ in: 'body', field: 'file', code, message }] });
}

/** The first bytes of other formats that users send by mistake. */
const otherFormats: [firstBytes: number[], message: string][] = [
  [[0xff, 0xfe], 'The file is UTF-16'],
  [[0xfe, 0xff], 'The file is UTF-16'],
  [[0x1f, 0x8b], 'The file is compressed (gzip)'],
  [[0x50, 0x4b, 0x03, 0x04], 'The file is a spreadsheet or an archive'],
  [[0xd0, 0xcf, 0x11, 0xe0], 'The file is a spreadsheet'],
  [[0x25, 0x50, 0x44, 0x46], 'The file is a PDF'],
];

export function refuseOtherFormats(bytes: Uint8Array): void {
  const found = otherFormats.find(([firstBytes]) => firstBytes.every((byte, i) => bytes[i] === byte));
  if (found) throw unreadable('format', `${found[1]}. Save it as CSV in UTF-8.`);
}

/** Reads the first line. The delimiter is `;` if the line contains more `;` than `,`. */
export function readHeader(line: Buffer): Header {
  if (line.includes(0)) throw unreadable('format', 'The file has NUL bytes, so it may be UTF-16. Save it as CSV in UTF-8.');
  if (!isUtf8(line)) throw unreadable('encoding', 'Line 1 is not UTF-8. Save the file as CSV in UTF-8.');
  const text = line.toString('utf8');
  const delimiter = text.split(';').length > text.split(',').length ? ';' : ',';
  const names = text.split(delimiter).map((name) =>
    name
      .trim()
      .replace(/^"(.*)"$/, '$1')
      .trim(),
  );
  // Spreadsheet programs write trailing delimiters for deleted columns.
  while (names.length > 1 && names.at(-1) === '') names.pop();
  requireColumns(names);
  const columns = names.map((name) => targets[name.toLowerCase() as Known]);
  const itemBy = names.some((name) => name.toLowerCase() === 'itemid') ? 'id' : 'name';
  return { delimiter: delimiter.charCodeAt(0), columns, itemBy };
}

/** Checks the names of the columns. Unknown columns are rejected: ignoring them could lose data that the sender expects to be imported. */
function requireColumns(names: readonly string[]): void {
  const lower = names.map((name) => name.toLowerCase());
  const shown = (list: readonly string[]) =>
    list
      .slice(0, 10)
      .map((name) => `"${name.slice(0, 60)}"`)
      .join(', ');
  const unknown = names.filter((_, i) => !Object.hasOwn(targets, lower[i] ?? ''));
  const duplicates = names.filter((_, i) => lower.indexOf(lower[i] ?? '') < i);
  if (!lower.includes('code')) {
    throw unreadable(
      'header',
      `The first line must name the columns. It has no column "code". It begins with ${shown(names.slice(0, 3))}.`,
    );
  }
  if (unknown.length > 0) throw unreadable('header', `Unknown columns: ${shown(unknown)}. Known columns are ${knownColumns}.`);
  if (duplicates.length > 0) throw unreadable('header', `These columns appear twice: ${shown(duplicates)}. Remove the duplicates.`);
  const items = ['itemid', 'item'].filter((name) => lower.includes(name));
  if (items.length !== 1)
    throw unreadable('header', 'The first line must name one of the columns "itemId" (the id of an item) and "item" (its name), not both.');
}
