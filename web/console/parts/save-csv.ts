import { saveFile } from './save-file.ts';

/** Text that starts like a formula gets an apostrophe, because spreadsheets would run it. */
const cell = (value: string | number): string => {
  if (typeof value === 'number') return String(value);
  const text = /^[\s"']*[=+\-@]/.test(value) ? `'${value}` : value;
  return /[",\n;]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** Saves rows as a CSV file. The mark at its start tells spreadsheets that it is UTF-8. */
export function saveCsv(name: string, rows: readonly (readonly (string | number)[])[]): void {
  const text = rows.map((row) => row.map(cell).join(',')).join('\r\n');
  saveFile(new Blob([`\uFEFF${text}\r\n`], { type: 'text/csv' }), name);
}
