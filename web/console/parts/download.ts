/** Saves a file that the script has made or loaded. */
export function saveFile(content: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // The browser needs the address until the download has begun.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

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
