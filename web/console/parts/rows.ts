/** The names in the field that says which rows a form has: `item4 item7 new1`. */
export const namesIn = (rows: string): string[] => rows.split(' ').filter(Boolean);

const mostNewRows = 50;

/** The values of rows that the reader adds, for `initial` of the form: `newRows({ type: 'string' })` has `new1.type`, `new2.type` and so on. */
export const newRows = (values: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Array.from({ length: mostNewRows }, (_, index) =>
      Object.entries(values).map(([field, value]): [string, unknown] => [`new${index + 1}.${field}`, value]),
    ).flat(),
  );
