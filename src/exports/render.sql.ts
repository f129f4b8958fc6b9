import { type RawBuilder, sql } from 'kysely';
import type { Column } from './columns.ts';

export type Format = 'csv' | 'xlsx';

/** Renders a text for the format of the file. */
export type RenderText = (text: RawBuilder<unknown>) => RawBuilder<unknown>;

/**
 * The SQL expression of each column. A subquery renders its text itself: PostgreSQL replaces a call of `csv_text` by the function's body only
 * if the argument has no subquery, and a call for each row takes as long as the rest of the export.
 */
export type Cells<C extends Column> = Record<C['key'], RawBuilder<unknown> | ((text: RenderText) => RawBuilder<unknown>)>;

/** The names of these sessions in one cell. */
export const sessionNames =
  (eventId: number, ids: RawBuilder<unknown>) =>
  (text: RenderText): RawBuilder<unknown> =>
    sql`
    (select ${text(sql`string_agg(e.name, ', ' order by e.starts_at, e.id)`)} from event_session e
      where e.event_id = ${eventId} and e.id = any(${ids}))`;

/** Converts a time to the number that spreadsheets store: days since 1899-12-30. */
const serial = (time: RawBuilder<unknown>) => sql`(extract(epoch from ${time}) / 86400.0 + 25569)::float8`;

/** Formats the cells in SQL: protects text against formula injection, converts times to `zone`, and cents to decimals. */
export function renderCells(columns: readonly Column[], cells: Cells<Column>, format: Format, zone: string): RawBuilder<unknown> {
  const text: RenderText = (cell) => (format === 'csv' ? sql`csv_text(${cell})` : cell);
  const render = ({ key, kind }: Column): RawBuilder<unknown> => {
    const cell = cells[key];
    if (!cell) throw new Error(`The column ${key} has no expression`);
    if (typeof cell === 'function') return cell(text);
    if (kind === 'text') return text(cell);
    if (kind === 'money') return sql`${cell} * 0.01`;
    if (kind !== 'time') return cell;
    const localTime = sql`date_trunc('second', ${cell} at time zone ${zone})`;
    return format === 'csv' ? localTime : serial(localTime);
  };
  return sql.join(columns.map(render));
}
