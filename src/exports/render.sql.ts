import { type RawBuilder, sql } from 'kysely';
import type { Column } from './columns.ts';

export type Format = 'csv' | 'xlsx';

/** What each column of a list is made from. */
export type Cells<C extends Column> = Record<C['key'], RawBuilder<unknown>>;

/** Days since the end of 1899, as spreadsheets count time. */
const serial = (time: RawBuilder<unknown>) => sql`(extract(epoch from ${time}) / 86400.0 + 25569)::float8`;

/** The cells of a row as the format wants them: guarded against formulas, times on the wall in `zone`, cents with their point. */
export function renderCells(columns: readonly Column[], cells: Cells<Column>, format: Format, zone: string): RawBuilder<unknown> {
  const render = ({ key, kind }: Column): RawBuilder<unknown> => {
    const cell = cells[key];
    if (!cell) throw new Error(`The column ${key} is made from nothing`);
    if (kind === 'text') return format === 'csv' ? sql`csv_text(${cell})` : cell;
    if (kind === 'money') return sql`${cell} * 0.01`;
    if (kind !== 'time') return cell;
    const onTheWall = sql`date_trunc('second', ${cell} at time zone ${zone})`;
    return format === 'csv' ? onTheWall : serial(onTheWall);
  };
  return sql.join(columns.map(render));
}
