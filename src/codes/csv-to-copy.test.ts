import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CsvToCopy } from './csv-to-copy.ts';

/** Scans the bytes in chunks of this size and returns the rows. */
function scan(csv: string, size: number): string[] {
  const bytes = Buffer.from(csv);
  const scanner = new CsvToCopy();
  const out: Buffer[] = [];
  for (let i = 0; i < bytes.length; i += size) out.push(scanner.push(bytes.subarray(i, i + size)));
  out.push(scanner.end());
  const rows = Buffer.concat(out).toString().split('\n').slice(0, -1);
  expect(rows).toHaveLength(scanner.rows);
  return rows;
}

const quoted = (field: string): string => `"${field.replaceAll('"', '""')}"`;
const escaped = (field: string): string => field.replaceAll('\\', '\\\\');
/** Generates text that the import does not change: without control characters, and without white space at both ends. */
const text = fc
  .string({ unit: fc.constantFrom('a', 'Z', '0', ',', ';', '"', '\\', 'ã', '🎟', '\u00a0', ' '), maxLength: 8 })
  .map((value) => value.replaceAll(/^[ \u00a0]+|[ \u00a0]+$/g, ''));

describe('CsvToCopy', () => {
  it('returns each quoted field unchanged, for any chunk size', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(text, text, text), { minLength: 1, maxLength: 6 }),
        fc.constantFrom(',', ';'),
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.integer({ min: 1, max: 40 }),
        fc.boolean(),
        (rows, delimiter, lineEnd, size, lastLineEnd) => {
          fc.pre(rows.some((row) => row.some((field) => field !== '')));
          const lines = [['code', 'item', 'name'].join(delimiter), ...rows.map((row) => row.map(quoted).join(delimiter))];
          const expected = rows.flatMap((row, i) =>
            row.every((field) => field === '') ? [] : [[i + 2, ...row.map(escaped), ''].join('\t')],
          );
          expect(scan(lines.join(lineEnd) + (lastLineEnd ? lineEnd : ''), size)).toEqual(expected);
        },
      ),
    );
  });

  it('returns the same rows for any text and any chunk size, and one row per line', () => {
    const anything = fc.string({
      unit: fc.constantFrom('a', ',', '"', '\n', '\r', '\\', ' ', '\t', '\u0085', 'ã', '\u00a0'),
      maxLength: 60,
    });
    const outcome = (csv: string, size: number) => {
      try {
        return scan(csv, size);
      } catch (error) {
        return (error as Error).message;
      }
    };
    fc.assert(
      fc.property(anything, fc.integer({ min: 1, max: 20 }), (csv, size) => {
        const whole = outcome(`code,item\n${csv}`, 1_000);
        expect(outcome(`code,item\n${csv}`, size)).toEqual(whole);
        if (typeof whole === 'string') return;
        const lines = whole.map((row) => Number(row.split('\t')[0]));
        expect(lines).toEqual([...new Set(lines)].toSorted((a, b) => a - b));
        for (const row of whole) expect(row.split('\t')).toHaveLength(4);
      }),
    );
  });
});
