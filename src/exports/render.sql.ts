import { type RawBuilder, sql } from 'kysely';
import type { Column } from './columns.ts';

export type Format = 'csv' | 'xlsx';

/** The SQL expression of each column. */
export type Cells<C extends Column> = Record<C['key'], RawBuilder<unknown>>;

/** Converts a time to the number that spreadsheets store: days since 1899-12-30. */
const serial = (time: RawBuilder<unknown>) => sql`(extract(epoch from ${time}) / 86400.0 + 25569)::float8`;

/** Formats the cells in SQL: protects text against formula injection, converts times to `zone`, and cents to decimals. */
export function renderCells(columns: readonly Column[], cells: Cells<Column>, format: Format, zone: string): RawBuilder<unknown> {
  const render = ({ key, kind }: Column): RawBuilder<unknown> => {
    const cell = cells[key];
    if (!cell) throw new Error(`The column ${key} has no expression`);
    if (kind === 'text') return format === 'csv' ? sql`csv_text(${cell})` : cell;
    if (kind === 'money') return sql`${cell} * 0.01`;
    if (kind !== 'time') return cell;
    const localTime = sql`date_trunc('second', ${cell} at time zone ${zone})`;
    return format === 'csv' ? localTime : serial(localTime);
  };
  return sql.join(columns.map(render));
}
