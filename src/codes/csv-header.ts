import { isUtf8 } from 'node:buffer';
import { Problem } from '../kernel/problem.ts';

/** The columns a file may have, and where their text goes. */
const targets = { code: 'code', itemid: 'item', item: 'item', session: 'session', name: 'name', document: 'document' } as const;
type Known = keyof typeof targets;

export type Column = (typeof targets)[Known];

export interface Header {
  /** The byte between two fields. */
  delimiter: number;
  /** In the order of the file. */
  columns: readonly Column[];
  /** How the file names items. */
  itemBy: 'id' | 'name';
}

const spelt = { code: 'code', itemid: 'itemId', item: 'item', session: 'session', name: 'name', document: 'document' };
const knownColumns = Object.values(spelt).join(', ');

/** The file as a whole is not what we read. */
export function unreadable(code: string, message: string): Problem {
  return new Problem('malformed_body', message, { errors: [{ in: 'body', field: 'file', code, message }] });
}

/** What people send instead of CSV, by how it begins. */
const notCsv: [beginning: number[], what: string][] = [
  [[0xff, 0xfe], 'The file is UTF-16'],
  [[0xfe, 0xff], 'The file is UTF-16'],
  [[0x1f, 0x8b], 'The file is compressed (gzip)'],
  [[0x50, 0x4b, 0x03, 0x04], 'The file is a spreadsheet or an archive'],
  [[0xd0, 0xcf, 0x11, 0xe0], 'The file is a spreadsheet'],
  [[0x25, 0x50, 0x44, 0x46], 'The file is a PDF'],
];

export function refuseOtherFormats(bytes: Uint8Array): void {
  const found = notCsv.find(([beginning]) => beginning.every((byte, i) => bytes[i] === byte));
  if (found) throw unreadable('format', `${found[1]}; save it as CSV in UTF-8`);
}

/** The first line: it names the columns, and by that tells which of `,` and `;` stands between fields. */
export function readHeader(line: Buffer): Header {
  if (line.includes(0)) throw unreadable('format', 'The file has NUL bytes, as UTF-16 has; save it as CSV in UTF-8');
  if (!isUtf8(line)) throw unreadable('encoding', 'Line 1 is not UTF-8; save the file as CSV in UTF-8');
  const text = line.toString('utf8');
  const delimiter = text.split(';').length > text.split(',').length ? ';' : ',';
  const names = text.split(delimiter).map((name) =>
    name
      .trim()
      .replace(/^"(.*)"$/, '$1')
      .trim(),
  );
  // Spreadsheets leave delimiters behind where columns were deleted.
  while (names.length > 1 && names.at(-1) === '') names.pop();
  requireColumns(names);
  const columns = names.map((name) => targets[name.toLowerCase() as Known]);
  const itemBy = names.some((name) => name.toLowerCase() === 'itemid') ? 'id' : 'name';
  return { delimiter: delimiter.charCodeAt(0), columns, itemBy };
}

/** A column that we do not know may be one that the sender counts on: it is refused rather than left out in silence. */
function requireColumns(names: readonly string[]): void {
  const lower = names.map((name) => name.toLowerCase());
  const shown = (list: readonly string[]) =>
    list
      .slice(0, 10)
      .map((name) => `"${name.slice(0, 60)}"`)
      .join(', ');
  const unknown = names.filter((_, i) => !Object.hasOwn(targets, lower[i] ?? ''));
  const doubled = names.filter((_, i) => lower.indexOf(lower[i] ?? '') < i);
  if (!lower.includes('code')) {
    throw unreadable('header', `The first line must name the columns, and has no column "code"; it begins ${shown(names.slice(0, 3))}`);
  }
  if (unknown.length > 0) throw unreadable('header', `Unknown columns: ${shown(unknown)}; known are ${knownColumns}`);
  if (doubled.length > 0) throw unreadable('header', `Columns that stand twice: ${shown(doubled)}`);
  const items = ['itemid', 'item'].filter((name) => lower.includes(name));
  if (items.length !== 1)
    throw unreadable('header', 'The header needs one of the columns "itemId" (a number) and "item" (a name), and not both');
}
