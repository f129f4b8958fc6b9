import type { Act } from '../kernel/act.ts';
import { decodeCursor, rowsToFetch, toPage } from '../kernel/cursor.ts';
import type { Page, PageQuery } from '../kernel/schema.ts';
import type { Tx } from '../postgres/database.ts';
import type { Export } from './contract.ts';
import { describeExport } from './export.ts';
import { countExportsOfEvent, selectExportsOfEvent } from './exports.sql.ts';

export interface ExportQuery extends PageQuery {
  status?: Export['status'];
}

export async function listExports(tx: Tx, act: Act, eventId: number, query: ExportQuery): Promise<Page<Export>> {
  const before = query.cursor === undefined ? null : decodeCursor(query.cursor, ['number'])[0];
  const rows = await selectExportsOfEvent(tx, eventId, query.status, before, rowsToFetch(query));
  const total = query.count ? await countExportsOfEvent(tx, eventId, query.status) : undefined;
  return toPage(
    rows,
    query,
    ({ id }) => [id],
    (row) => describeExport(row, act),
    total,
  );
}
