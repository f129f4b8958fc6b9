import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Kind } from './columns.ts';
import { type Entry, zip } from './zip.ts';

/** What the format allows in one sheet, and in one cell. */
const mostRows = 1_048_576;
const mostLetters = 32_767;
/** Keeps every sheet below 4 GiB. Larger entries need Zip64, which some spreadsheets cannot read in a streamed archive. */
const mostSheetBytes = 3_500_000_000;

export interface Sheet {
  title: string;
  header: readonly string[];
  kinds: readonly Kind[];
  /** Rows as `copy … to stdout` writes them: a line each, cells parted by tabs. */
  lines: AsyncIterable<Buffer>;
  /** Fewer only in tests. */
  rowsPerSheet?: number;
}

/** A workbook as bytes, made while its rows come: sheets follow one another when one is full, each with its header. */
export const xlsx = (sheet: Sheet): AsyncGenerator<Buffer> => zip(parts(sheet));

async function* parts(sheet: Sheet): AsyncGenerator<Entry> {
  const blocks = wholeLines(sheet.lines);
  let sheets = 0;
  let rest: string[] | undefined = [];
  try {
    while (rest !== undefined) {
      const filling: Filling = { begun: rest, rest: undefined };
      yield { name: `xl/worksheets/sheet${++sheets}.xml`, bytes: sheetXml(sheet, blocks, filling) };
      rest = filling.rest;
    }
  } finally {
    await blocks.return(undefined);
  }
  for (const [name, text] of Object.entries(frame(sheet.title, sheets))) yield { name, bytes: [Buffer.from(text)] };
}

/** Rows that the sheet before had no place for, and those that this one has none for. */
interface Filling {
  begun: string[];
  rest: string[] | undefined;
}

async function* sheetXml(
  { header, kinds, rowsPerSheet = mostRows }: Sheet,
  blocks: AsyncGenerator<string[]>,
  filling: Filling,
): AsyncGenerator<Buffer> {
  yield Buffer.from(`${sheetStart}<row>${header.map((title) => cell(style.header, title)).join('')}</row>`);
  let free = rowsPerSheet - 1;
  let bytes = 0;
  for (let rows: string[] | undefined = filling.begun; rows !== undefined; ) {
    const room = bytes > mostSheetBytes ? 0 : free;
    if (rows.length > room) {
      yield rowsXml(rows.slice(0, room), kinds);
      filling.rest = rows.slice(room);
      break;
    }
    free -= rows.length;
    const xml = rowsXml(rows, kinds);
    bytes += xml.length;
    yield xml;
    // yazl passes several blocks on before it waits for zlib. Requests must not wait for all of them.
    await nextTurn();
    const next: IteratorResult<string[], undefined> = await blocks.next();
    rows = next.value;
  }
  yield Buffer.from('</sheetData></worksheet>');
}

function rowsXml(rows: readonly string[], kinds: readonly Kind[]): Buffer {
  let xml = '';
  for (const row of rows) {
    xml += '<row>';
    const fields = row.split('\t');
    for (let i = 0; i < fields.length; i++) xml += cellOf(kinds[i] ?? 'text', fields[i] ?? nothing);
    xml += '</row>';
  }
  return Buffer.from(xml);
}

const style = { time: 1, money: 2, guarded: 3, header: 4 };

/** As COPY writes what is not there. */
const nothing = '\\N';

function cellOf(kind: Kind, field: string): string {
  if (field === nothing) return '<c/>';
  if (kind === 'number') return `<c><v>${field}</v></c>`;
  if (kind === 'money') return `<c s="${style.money}"><v>${field}</v></c>`;
  if (kind === 'time') return `<c s="${style.time}"><v>${field}</v></c>`;
  const text = field.includes('\\') ? unescaped(field) : field;
  return cell(looksLikeFormula(text) ? style.guarded : 0, text);
}

/** Text is never a formula in this format; but who edits such a cell would make it one, were it not marked. */
const looksLikeFormula = (text: string): boolean => '=+-@\t\r\n'.includes(text.charAt(0)) && text !== '';

const cell = (styleId: number, text: string): string =>
  `<c t="inlineStr"${styleId === 0 ? '' : ` s="${styleId}"`}><is><t xml:space="preserve">${escaped(text.slice(0, mostLetters))}</t></is></c>`;

const copyEscapes: Record<string, string> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', v: '\v' };
const unescaped = (field: string): string => field.replaceAll(/\\(.)/gs, (_, letter: string) => copyEscapes[letter] ?? letter);

/** What XML has no place for, and what would be read as a name for it. */
const unwritable = /[^\P{Cc}\t\n]|[\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)/gu;
const special = /[&<>"]/;
const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  const safe = special.test(text) ? text.replaceAll(/[&<>"]/g, (letter) => entities[letter] ?? letter) : text;
  return safe.replaceAll(unwritable, (letter) => `_x${letter.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`);
}

/** Cuts the bytes after the last line that is whole; a line never ends within a letter. */
async function* wholeLines(bytes: AsyncIterable<Buffer>): AsyncGenerator<string[], undefined> {
  let begun: Buffer[] = [];
  for await (const chunk of bytes) {
    const end = chunk.lastIndexOf(10);
    if (end === -1) {
      begun.push(chunk);
      continue;
    }
    const lines = Buffer.concat([...begun, chunk.subarray(0, end)]).toString();
    begun = [chunk.subarray(end + 1)];
    yield lines.split('\n');
  }
}

const xml = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const relationships = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packaging = 'http://schemas.openxmlformats.org/package/2006';

const sheetStart = `${xml}<worksheet xmlns="${main}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetData>`;

const styles = `${xml}<styleSheet xmlns="${main}"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts><fonts count="2"><font/><font><b/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="5"><xf/><xf numFmtId="164" applyNumberFormat="1"/><xf numFmtId="4" applyNumberFormat="1"/><xf quotePrefix="1"/><xf fontId="1" applyFont="1"/></cellXfs></styleSheet>`;

/** Everything that is no sheet. */
function frame(title: string, sheets: number): Record<string, string> {
  const each = (write: (n: number) => string): string => Array.from({ length: sheets }, (_, i) => write(i + 1)).join('');
  const name = (n: number): string => escaped(n === 1 ? title : `${title} ${n}`);
  const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
  return {
    'xl/workbook.xml': `${xml}<workbook xmlns="${main}" xmlns:r="${relationships}"><sheets>${each((n) => `<sheet name="${name(n)}" sheetId="${n}" r:id="rId${n}"/>`)}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${xml}<Relationships xmlns="${packaging}/relationships">${each((n) => `<Relationship Id="rId${n}" Type="${relationships}/worksheet" Target="worksheets/sheet${n}.xml"/>`)}<Relationship Id="rId${sheets + 1}" Type="${relationships}/styles" Target="styles.xml"/></Relationships>`,
    'xl/styles.xml': styles,
    '_rels/.rels': `${xml}<Relationships xmlns="${packaging}/relationships"><Relationship Id="rId1" Type="${relationships}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    '[Content_Types].xml': `${xml}<Types xmlns="${packaging}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${type}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${type}.styles+xml"/>${each((n) => `<Override PartName="/xl/worksheets/sheet${n}.xml" ContentType="${type}.worksheet+xml"/>`)}</Types>`,
  };
}
