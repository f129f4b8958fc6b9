import { decodeCursor, rowsToFetch, toPage } from '../kernel/cursor.ts';
import type { Page } from '../kernel/schema.ts';
import type { Tx } from '../postgres/database.ts';
import type { Refund, RefundQuery } from './contract.ts';
import { countRefunds, type RefundRow, selectRefunds } from './refunds.sql.ts';

export async function listRefunds(tx: Tx, eventId: number, query: RefundQuery): Promise<Page<Refund>> {
  const filter = { eventId, status: query.status };
  const before = query.cursor === undefined ? null : decodeCursor(query.cursor, ['number'])[0];
  const rows = await selectRefunds(tx, filter, before, rowsToFetch(query));
  const total = query.count ? await countRefunds(tx, filter) : undefined;
  return toPage(rows, query, ({ id }) => [id], describeRefund, total);
}

export const describeRefund = ({ eventId: _event, disputed: _disputed, createdAt, finishedAt, ...row }: RefundRow): Refund => ({
  ...row,
  createdAt: createdAt.toISOString(),
  finishedAt: finishedAt?.toISOString() ?? null,
});
