import { useField } from './fields.tsx';

/**
 * The rows of a list inside a form. Which rows there are is a field of the form, so that the draft keeps it. Its value is the names of the rows:
 * `item4 item7 new1`.
 */
export function useRows(name: string, label: string) {
  const { raw, set } = useField(name, {
    label,
    format: (value) => (value as string | undefined) ?? '',
    parse: (value) => value,
    describe: (value) => String(namesIn(String(value)).length),
  });
  const rows = namesIn(String(raw));
  const add = () => {
    const free = Array.from({ length: rows.length + 1 }, (_, index) => `new${index + 1}`).find((row) => !rows.includes(row));
    set([...rows, free].join(' '));
  };
  return { rows, add, remove: (row: string) => set(rows.filter((other) => other !== row).join(' ')) };
}

export const namesIn = (rows: string): string[] => rows.split(' ').filter(Boolean);

const mostNewRows = 50;

/** The values of rows that the reader adds, for `initial` of the form: `newRows({ type: 'string' })` has `new1.type`, `new2.type` and so on. */
export const newRows = (values: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Array.from({ length: mostNewRows }, (_, index) =>
      Object.entries(values).map(([field, value]): [string, unknown] => [`new${index + 1}.${field}`, value]),
    ).flat(),
  );
