import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CellKind } from './columns.ts';
import { type Entry, zip } from './zip.ts';

/** The maximum number of rows in a sheet of this file format. */
const maxRowsPerSheet = 1_048_576;
const maxCellLength = 32_767;
/** Keeps every sheet below 4 GiB, so that no sheet needs the Zip64 format, which not every reader supports. */
const maxSheetBytes = 3_500_000_000;

export interface Sheet {
  title: string;
  header: readonly string[];
  kinds: readonly CellKind[];
  /** The output of `copy … to stdout`: one line per row, cells separated by tabs. */
  lines: AsyncIterable<Buffer>;
  /** The maximum number of rows per sheet. Tests use a small value. */
  rowsPerSheet?: number;
}

/** Streams a workbook. When a sheet is full, starts a new sheet with its own header. */
export const xlsx = (sheet: Sheet): AsyncGenerator<Buffer> => zip(archiveEntries(sheet));

async function* archiveEntries(sheet: Sheet): AsyncGenerator<Entry> {
  const blocks = wholeLines(sheet.lines);
  let sheets = 0;
  let overflow: string[] | undefined = [];
  try {
    while (overflow !== undefined) {
      const rows: SheetRows = { carriedOver: overflow, overflow: undefined };
      yield { name: `xl/worksheets/sheet${++sheets}.xml`, bytes: sheetXml(sheet, blocks, rows) };
      overflow = rows.overflow;
    }
  } finally {
    await blocks.return(undefined);
  }
  for (const [name, text] of Object.entries(otherFiles(sheet.title, sheets))) yield { name, bytes: [Buffer.from(text)] };
}

interface SheetRows {
  /** Rows that did not fit on the previous sheet. */
  carriedOver: string[];
  /** Rows that do not fit on this sheet. Undefined if this is the last sheet. */
  overflow: string[] | undefined;
}

async function* sheetXml(
  { header, kinds, rowsPerSheet = maxRowsPerSheet }: Sheet,
  blocks: AsyncGenerator<string[]>,
  sheetRows: SheetRows,
): AsyncGenerator<Buffer> {
  yield Buffer.from(`${sheetStart}<row>${header.map((title) => cell(style.header, title)).join('')}</row>`);
  let free = rowsPerSheet - 1;
  let bytes = 0;
  for (let rows: string[] | undefined = sheetRows.carriedOver; rows !== undefined; ) {
    const room = bytes > maxSheetBytes ? 0 : free;
    if (rows.length > room) {
      yield rowsXml(rows.slice(0, room), kinds);
      sheetRows.overflow = rows.slice(room);
      break;
    }
    free -= rows.length;
    const xml = rowsXml(rows, kinds);
    bytes += xml.length;
    yield xml;
    // yazl reads several blocks before it waits for zlib. This lets requests run between two blocks.
    await nextTurn();
    const next: IteratorResult<string[], undefined> = await blocks.next();
    rows = next.value;
  }
  yield Buffer.from('</sheetData></worksheet>');
}

function rowsXml(rows: readonly string[], kinds: readonly CellKind[]): Buffer {
  let xml = '';
  for (const row of rows) {
    xml += '<row>';
    const fields = row.split('\t');
    for (let i = 0; i < fields.length; i++) xml += cellOf(kinds[i] ?? 'text', fields[i] ?? copyNull);
    xml += '</row>';
  }
  return Buffer.from(xml);
}

const style = { time: 1, money: 2, textOnly: 3, header: 4 };

/** The text that COPY writes for null. */
const copyNull = '\\N';

function cellOf(kind: CellKind, field: string): string {
  if (field === copyNull) return '<c/>';
  if (kind === 'number') return `<c><v>${field}</v></c>`;
  if (kind === 'money') return `<c s="${style.money}"><v>${field}</v></c>`;
  if (kind === 'time') return `<c s="${style.time}"><v>${field}</v></c>`;
  const text = field.includes('\\') ? unescapeCopy(field) : field;
  return cell(looksLikeFormula(text) ? style.textOnly : 0, text);
}

/**
 * Such a text is not evaluated, because XLSX marks it as text. But when a user edits the cell, it becomes a formula unless it has the style
 * `textOnly`.
 */
const looksLikeFormula = (text: string): boolean => '=+-@\t\r\n'.includes(text.charAt(0)) && text !== '';

const cell = (styleId: number, text: string): string =>
  `<c t="inlineStr"${styleId === 0 ? '' : ` s="${styleId}"`}><is><t xml:space="preserve">${escapeXml(text.slice(0, maxCellLength))}</t></is></c>`;

const copyEscapes: Record<string, string> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', v: '\v' };
const unescapeCopy = (field: string): string => field.replaceAll(/\\(.)/gs, (_, letter: string) => copyEscapes[letter] ?? letter);

/** Characters that XML does not allow, and text that looks like the `_xHHHH_` escape for them. */
const mustBeEncoded = /[^\P{Cc}\t\n]|[\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)/gu;
const special = /[&<>"]/;
const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escapeXml(text: string): string {
  const safe = special.test(text) ? text.replaceAll(/[&<>"]/g, (letter) => entities[letter] ?? letter) : text;
  return safe.replaceAll(mustBeEncoded, (letter) => `_x${letter.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`);
}

/** Splits the bytes into complete lines. The newline byte is never a part of a longer UTF-8 character, so it is safe to split there. */
async function* wholeLines(bytes: AsyncIterable<Buffer>): AsyncGenerator<string[], undefined> {
  let incomplete: Buffer[] = [];
  for await (const chunk of bytes) {
    const end = chunk.lastIndexOf(10);
    if (end === -1) {
      incomplete.push(chunk);
      continue;
    }
    const lines = Buffer.concat([...incomplete, chunk.subarray(0, end)]).toString();
    incomplete = [chunk.subarray(end + 1)];
    yield lines.split('\n');
  }
}

const xml = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const relationships = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packaging = 'http://schemas.openxmlformats.org/package/2006';

const sheetStart = `${xml}<worksheet xmlns="${main}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetData>`;

const styles = `${xml}<styleSheet xmlns="${main}"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts><fonts count="2"><font/><font><b/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="5"><xf/><xf numFmtId="164" applyNumberFormat="1"/><xf numFmtId="4" applyNumberFormat="1"/><xf quotePrefix="1"/><xf fontId="1" applyFont="1"/></cellXfs></styleSheet>`;

/** Returns all files of the workbook except its sheets, by path. */
function otherFiles(title: string, sheets: number): Record<string, string> {
  const each = (write: (n: number) => string): string => Array.from({ length: sheets }, (_, i) => write(i + 1)).join('');
  const name = (n: number): string => escapeXml(n === 1 ? title : `${title} ${n}`);
  const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
  return {
    'xl/workbook.xml': `${xml}<workbook xmlns="${main}" xmlns:r="${relationships}"><sheets>${each((n) => `<sheet name="${name(n)}" sheetId="${n}" r:id="rId${n}"/>`)}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${xml}<Relationships xmlns="${packaging}/relationships">${each((n) => `<Relationship Id="rId${n}" Type="${relationships}/worksheet" Target="worksheets/sheet${n}.xml"/>`)}<Relationship Id="rId${sheets + 1}" Type="${relationships}/styles" Target="styles.xml"/></Relationships>`,
    'xl/styles.xml': styles,
    '_rels/.rels': `${xml}<Relationships xmlns="${packaging}/relationships"><Relationship Id="rId1" Type="${relationships}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    '[Content_Types].xml': `${xml}<Types xmlns="${packaging}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${type}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${type}.styles+xml"/>${each((n) => `<Override PartName="/xl/worksheets/sheet${n}.xml" ContentType="${type}.worksheet+xml"/>`)}</Types>`,
  };
}
