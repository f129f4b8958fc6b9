import type { Act } from '../kernel/act.ts';
import { decodeCursor, rowsToFetch, toPage } from '../kernel/cursor.ts';
import type { Page } from '../kernel/schema.ts';
import type { Tx } from '../postgres/database.ts';
import type { OrderQuery } from './contract.ts';
import { describeOrder } from './order.ts';
import { countOrders, selectOrdersOfEvent } from './order-reads.sql.ts';
import type { Order } from './order-schemas.ts';

export async function listOrders(tx: Tx, act: Act, eventId: number, query: OrderQuery): Promise<Page<Order>> {
  const { status, dispute, channel, itemId, method, from, to } = query;
  const term = query.term?.trim() || undefined;
  const moment = (text: string | undefined) => (text === undefined ? undefined : new Date(text));
  const filter = { eventId, status, dispute, term, channel, itemId, method, from: moment(from), to: moment(to), at: act.at };
  const before = query.cursor === undefined ? null : decodeCursor(query.cursor, ['number'])[0];
  const rows = await selectOrdersOfEvent(tx, filter, before, rowsToFetch(query));
  const total = query.count ? await countOrders(tx, filter) : undefined;
  return toPage(
    rows,
    query,
    (row) => [row.id],
    (row) => describeOrder(row, act),
    total,
  );
}
