import { decodeCursor, rowsToFetch, toPage } from '../kernel/cursor.ts';
import type { Page } from '../kernel/schema.ts';
import type { Tx } from '../postgres/database.ts';
import type { Checkin, CheckinQuery } from './contract.ts';
import { type CheckinRow, countCheckins, type ScanName, selectCheckins, selectScan } from './log.sql.ts';

export async function listCheckins(tx: Tx, eventId: number, query: CheckinQuery): Promise<Page<Checkin>> {
  const { double, result, sessionId, ticketId, device } = query;
  const filter = { eventId, double, result, sessionId, ticketId, device };
  const before = query.cursor === undefined ? null : decodeCursor(query.cursor, ['number'])[0];
  const rows = await selectCheckins(tx, filter, before, rowsToFetch(query));
  const total = query.count ? await countCheckins(tx, filter) : undefined;
  return toPage(rows, query, ({ id }) => [id], toCheckin, total);
}

export type { ScanName } from './log.sql.ts';

/** Returns one scan as the list shows it, or null if it does not exist. */
export async function findCheckin(tx: Tx, scan: ScanName): Promise<Checkin | null> {
  const row = await selectScan(tx, scan);
  return row ? toCheckin(row) : null;
}

const toCheckin = (row: CheckinRow): Checkin => ({
  id: row.id,
  nonce: row.nonce,
  ticketId: row.ticket_id,
  codeId: row.external_code_id,
  itemId: row.item_id,
  sessionId: row.session_id,
  at: row.at.toISOString(),
  gate: row.gate,
  device: row.device,
  userId: row.user_id,
  receivedAt: row.received_at.toISOString(),
  result: row.result,
  state: row.state,
});
