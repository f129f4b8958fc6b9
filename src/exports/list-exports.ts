import type { Act, User } from '../kernel/act.ts';
import { decodeCursor, rowsToFetch, toPage } from '../kernel/cursor.ts';
import { Problem } from '../kernel/problem.ts';
import type { Page, PageQuery } from '../kernel/schema.ts';
import type { Tx } from '../postgres/database.ts';
import type { Export } from './contract.ts';
import { describeExport } from './export.ts';
import { countExportsOfEvent, selectEventOfExport, selectExportsOfEvent } from './exports.sql.ts';
import { visibleExports } from './permission.ts';

export interface ExportQuery extends PageQuery {
  status?: Export['status'];
}

export async function listExports(tx: Tx, act: Act<User>, eventId: number, query: ExportQuery): Promise<Page<Export>> {
  const event = await selectEventOfExport(tx, eventId);
  if (!event) throw new Problem('not_found');
  const visible = visibleExports(act.actor, { producerId: event.producer_id, eventId });
  const before = query.cursor === undefined ? null : decodeCursor(query.cursor, ['number'])[0];
  const rows = await selectExportsOfEvent(tx, eventId, visible, query.status, before, rowsToFetch(query));
  const total = query.count ? await countExportsOfEvent(tx, eventId, visible, query.status) : undefined;
  return toPage(
    rows,
    query,
    ({ id }) => [id],
    (row) => describeExport(row, act),
    total,
  );
}
