import { isUtf8 } from 'node:buffer';
import { Problem } from '../kernel/problem.ts';
import { type Header, readHeader, refuseOtherFormats, unreadable } from './csv-header.ts';

const maxRows = 1_000_000;
const maxRowLength = 65_536;

const NUL = 0x00;
const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const BLANK = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const DELETE = 0x7f;
/**
 * This byte replaces each control character. Control characters are trimmed at both ends of a field; inside the field they are an error.
 */
const CONTROL = 0x01;
/** The first UTF-8 byte of the non-ASCII control characters and of the no-break space, which spreadsheet programs write. */
const C2 = 0xc2;
const NBSP = 0xa0;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Converts CSV into the text format of `COPY`, chunk by chunk, without creating an object per row. Each output row has the line number, the
 * trimmed fields in the order of the header, and the first error of the row as `code:field` (or an empty text). Empty rows are left out.
 * Throws if the file cannot be read at all.
 */
export class CsvToCopy {
  header: Header | null = null;
  rows = 0;

  /** The bytes received so far, until the first line is complete. */
  #head: Buffer = Buffer.alloc(0);
  /** Has a 1 for each byte with a special meaning. All other bytes are copied unchanged. */
  readonly #special = new Uint8Array(256).fill(1, 0, BLANK);

  /** The output buffer, filled up to `#at`. The current row begins at `#rowAt`, the current field at `#fieldAt`. */
  #out: Buffer = Buffer.alloc(0);
  #at = 0;
  #rowAt = 0;
  #fieldAt = 0;

  #line = 1;
  #afterCr = false;
  #inRow = false;
  #hasText = false;
  #error = '';
  #column = 0;
  #place: 'plain' | 'quoted' | 'closed' = 'plain';
  #quoteLine = 1;
  #closedAt = 0;
  #suspicious = false;

  /** Returns the rows that this chunk completed. */
  push(chunk: Uint8Array): Buffer {
    const rest = this.header ? chunk : this.#takeHead(chunk);
    if (!this.header) return Buffer.alloc(0);
    this.#startBuffer(rest.length);
    this.#scan(rest, this.header);
    return this.#completed();
  }

  /** Returns the last row, if the file does not end with a line break. */
  end(): Buffer {
    const header = this.header ?? this.#readHead(this.#head.length);
    if (this.#place === 'quoted') throw unreadable('quotes', `The quote that opens in line ${this.#quoteLine} is never closed. Close it.`);
    this.#startBuffer(0);
    if (this.#inRow) this.#endRow(header);
    if (this.rows === 0) throw unreadable('empty', 'The file has a header but no rows. Add one row for each code.');
    return this.#completed();
  }

  /** Reads the header once its line is complete. Returns the remaining bytes, starting with the line break. */
  #takeHead(chunk: Uint8Array): Uint8Array {
    this.#head = Buffer.concat([this.#head, chunk]);
    const head = this.#head;
    const lineEnd = (byte: number | undefined) => byte === LF || byte === CR;
    let end = head.subarray(0, 3).equals(byteOrderMark) ? 3 : 0;
    while (lineEnd(head[end])) end++;
    while (end < head.length && !lineEnd(head[end])) end++;
    if (end === head.length && end <= maxRowLength) return Buffer.alloc(0);
    this.#readHead(end);
    return head.subarray(end);
  }

  #readHead(end: number): Header {
    refuseOtherFormats(this.#head);
    if (end > maxRowLength) throw unreadable('row', 'The first line is longer than 64 KiB. Check that the file is CSV.');
    const text = this.#head.subarray(this.#head.subarray(0, 3).equals(byteOrderMark) ? 3 : 0, end);
    const emptyLines = /^[\r\n]*/.exec(text.toString('latin1'))?.[0] ?? '';
    if (text.length === emptyLines.length) throw unreadable('empty', 'The file is empty.');
    this.#line += emptyLines.replaceAll('\r\n', '\n').length;
    this.header = readHeader(text.subarray(emptyLines.length));
    for (const byte of [QUOTE, BACKSLASH, DELETE, C2, this.header.delimiter]) this.#special[byte] = 1;
    this.#head = Buffer.alloc(0);
    return this.header;
  }

  /** Copies the incomplete row into a new buffer, because the database client may still be sending the old buffer. */
  #startBuffer(more: number): void {
    const row = this.#out.subarray(this.#rowAt, this.#at);
    const out = Buffer.allocUnsafe(row.length + Math.ceil(more * 1.5) + 1_024);
    out.set(row);
    this.#out = out;
    this.#fieldAt -= this.#rowAt;
    this.#closedAt -= this.#rowAt;
    this.#at = row.length;
    this.#rowAt = 0;
  }

  #completed(): Buffer {
    const rows = this.#out.subarray(0, this.#rowAt);
    if (!isUtf8(rows)) throw unreadable('encoding', `Line ${lineNotUtf8(rows)} is not UTF-8. Save the file as CSV in UTF-8.`);
    return rows;
  }

  #scan(chunk: Uint8Array, header: Header): void {
    const special = this.#special;
    const { length } = chunk;
    for (let i = 0; i < length; i++) {
      const begin = i;
      while (i < length && special[chunk[i] as number] === 0) i++;
      if (i > begin) this.#writeText(chunk, begin, i);
      if (i < length) this.#handleSpecial(chunk[i] as number, header);
    }
  }

  #writeText(chunk: Uint8Array, begin: number, end: number): void {
    if (!this.#inRow) this.#startRow();
    this.#afterCr = false;
    this.#makeRoom(end - begin);
    const out = this.#out;
    let at = this.#at;
    for (let i = begin; i < end; i++) out[at++] = chunk[i] as number;
    if (this.#place === 'closed' && !isBlank(out, this.#at, at)) this.#reject('quotes');
    this.#at = at;
  }

  #handleSpecial(byte: number, header: Header): void {
    if (byte === LF && this.#afterCr) {
      this.#afterCr = false;
      return;
    }
    this.#afterCr = byte === CR;
    if (byte === LF || byte === CR) return this.#endLine(header);
    if (!this.#inRow) this.#startRow();
    if (byte === QUOTE) this.#handleQuote();
    else if (byte === header.delimiter && this.#place !== 'quoted') this.#endField(header);
    else this.#writeSpecial(byte);
  }

  #endLine(header: Header): void {
    if (this.#place === 'quoted') this.#writeSpecial(LF);
    else if (this.#inRow) this.#endRow(header);
    this.#line++;
  }

  #handleQuote(): void {
    if (this.#place === 'plain' && isBlank(this.#out, this.#fieldAt, this.#at)) {
      this.#at = this.#fieldAt;
      this.#place = 'quoted';
      this.#quoteLine = this.#line;
    } else if (this.#place === 'quoted') {
      this.#place = 'closed';
      this.#closedAt = this.#at;
    } else if (this.#place === 'closed' && this.#at === this.#closedAt) {
      this.#place = 'quoted';
      this.#writeSpecial(QUOTE);
    } else {
      this.#reject('quotes');
    }
  }

  #writeSpecial(byte: number): void {
    if (byte === NUL) throw unreadable('format', `Line ${this.#line} has NUL bytes, so the file may be UTF-16. Save it as CSV in UTF-8.`);
    this.#makeRoom(2);
    if (byte === BACKSLASH) this.#out[this.#at++] = BACKSLASH;
    const isControl = byte < BLANK || byte === DELETE;
    this.#suspicious ||= isControl || byte === C2;
    this.#out[this.#at++] = isControl ? CONTROL : byte;
  }

  #startRow(): void {
    this.#inRow = true;
    this.#hasText = false;
    this.#error = '';
    this.#column = 0;
    this.#makeRoom(16);
    this.#at = writeNumber(this.#out, this.#at, this.#line);
    this.#out[this.#at++] = TAB;
    this.#startField();
  }

  #startField(): void {
    this.#fieldAt = this.#at;
    this.#place = 'plain';
    this.#suspicious = false;
  }

  #endField({ columns }: Header): void {
    const out = this.#out;
    const [begin, end] = trimmed(out, this.#fieldAt, this.#at);
    const isKnown = this.#column < columns.length;
    if (begin < end) {
      this.#hasText = true;
      if (!isKnown) this.#reject('columns');
      else if (this.#suspicious && hasControl(out, begin, end)) this.#reject('characters');
    }
    this.#at = this.#fieldAt;
    if (isKnown) {
      if (begin > this.#fieldAt) out.copyWithin(this.#fieldAt, begin, end);
      this.#at += end - begin;
      this.#makeRoom(1);
      this.#out[this.#at++] = TAB;
    }
    this.#column++;
    this.#startField();
  }

  #endRow(header: Header): void {
    this.#endField(header);
    this.#inRow = false;
    if (!this.#hasText) {
      this.#at = this.#rowAt;
      return;
    }
    if (++this.rows > maxRows)
      throw new Problem('payload_too_large', `A file may have at most ${maxRows} rows. Send the rest in another file.`);
    this.#makeRoom(64);
    for (; this.#column < header.columns.length; this.#column++) this.#out[this.#at++] = TAB;
    if (this.#error !== '') this.#at += this.#out.write(this.#error, this.#at, 'latin1');
    this.#out[this.#at++] = LF;
    this.#rowAt = this.#at;
  }

  /** Keeps only the first error of a row. */
  #reject(code: string): void {
    this.#error ||= `${code}:${this.header?.columns[this.#column] ?? ''}`;
  }

  #makeRoom(bytes: number): void {
    if (this.#at - this.#rowAt + bytes > maxRowLength) throw this.#rowTooLong();
    if (this.#at + bytes <= this.#out.length) return;
    const out = Buffer.allocUnsafe((this.#at + bytes) * 2);
    out.set(this.#out.subarray(0, this.#at));
    this.#out = out;
  }

  #rowTooLong(): Problem {
    const hint = this.#place === 'quoted' ? ` Check the quote in line ${this.#quoteLine}: it may never be closed.` : '';
    return unreadable('row', `The row at line ${this.#line} is longer than 64 KiB.${hint}`);
  }
}

/** Writes the digits as bytes. Creating a string for each row would take longer than the rest of the scan. */
function writeNumber(out: Uint8Array, at: number, value: number): number {
  let end = at + 1;
  for (let power = 10; power <= value; power *= 10) end++;
  for (let i = end - 1, rest = value; i >= at; i--, rest = Math.trunc(rest / 10)) out[i] = 0x30 + (rest % 10);
  return end;
}

function trimmed(bytes: Uint8Array, from: number, to: number): [begin: number, end: number] {
  let begin = from;
  let end = to;
  for (;;) {
    if (begin < end && (bytes[begin] === BLANK || bytes[begin] === CONTROL)) begin++;
    else if (begin + 1 < end && bytes[begin] === C2 && bytes[begin + 1] === NBSP) begin += 2;
    else break;
  }
  for (;;) {
    if (end > begin && (bytes[end - 1] === BLANK || bytes[end - 1] === CONTROL)) end--;
    else if (end - 1 > begin && bytes[end - 1] === NBSP && bytes[end - 2] === C2) end -= 2;
    else break;
  }
  return [begin, end];
}

function isBlank(bytes: Uint8Array, from: number, to: number): boolean {
  const [begin, end] = trimmed(bytes, from, to);
  return begin === end;
}

function hasControl(bytes: Uint8Array, begin: number, end: number): boolean {
  for (let i = begin; i < end; i++) {
    if (bytes[i] === CONTROL || (bytes[i] === C2 && (bytes[i + 1] ?? 0) < NBSP)) return true;
  }
  return false;
}

/** Returns the number of the first line that is not UTF-8. Each output row begins with its line number. */
function lineNotUtf8(rows: Buffer): string {
  for (let begin = 0; begin < rows.length; ) {
    const end = rows.indexOf(LF, begin) + 1;
    if (!isUtf8(rows.subarray(begin, end))) return rows.toString('latin1', begin, rows.indexOf(TAB, begin));
    begin = end;
  }
  return '?';
}
