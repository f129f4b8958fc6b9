import { type RawBuilder, sql } from 'kysely';

/** Whether the column begins with the text. Case and accents do not matter. */
export const startsWithText = (column: string, text: string | undefined): RawBuilder<boolean> =>
  sql<boolean>`starts_with(plain_text(${sql.ref(column)}), plain_text(${text}))`;

/** Whether the column contains the text. Case does not matter. `%` and `_` in the text are not wildcards. */
export const containsText = (column: string, text: string): RawBuilder<boolean> =>
  sql<boolean>`${sql.ref(column)} ilike ${`%${text.replaceAll(/[\\%_]/g, '\\$&')}%`}`;
