import type { Stock, StockItem } from '../catalog/stock.ts';
import { assignCodes } from '../codes/assign-codes.ts';
import type { Act } from '../kernel/act.ts';
import type { Tx } from '../postgres/database.ts';
import type { Statement } from '../postgres/pipeline.ts';
import { ensureTicketKey } from './ticket-keys.ts';
import { insertTickets, type NewTicketRow } from './tickets.sql.ts';

interface Line {
  itemId: number;
  quantity: number;
  sessionIds: readonly number[];
}

/** Ids of assigned codes by item, for items with imported codes. Issuing a ticket removes the first id from the list. */
export type CodesByItem = ReadonlyMap<number, number[]>;

/**
 * Assigns codes for all lines. Returns null if an item has too few codes. The caller then rolls back the codes that were assigned before.
 */
export async function assignTicketCodes(tx: Tx, stock: Stock, lines: readonly Line[]): Promise<CodesByItem | null> {
  const needed = new Map<StockItem, number>();
  for (const { itemId, quantity } of lines) {
    const item = stock.item(itemId);
    if (item?.customCode) needed.set(item, (needed.get(item) ?? 0) + quantity);
  }
  const codes = new Map<number, number[]>();
  for (const [{ eventId, id: itemId }, quantity] of needed) {
    const taken = await assignCodes(tx, eventId, itemId, quantity);
    if (!taken) return null;
    codes.set(
      itemId,
      taken.map(({ id }) => id),
    );
  }
  return codes;
}

export interface Issue {
  eventId: number;
  orderId: number;
  lines: readonly Line[];
  /** Null when the buyer's data was erased. */
  holder: string | null;
  codes: CodesByItem;
  at: Date;
}

/** Creates one ticket for each unit of each line. */
export function issueTickets(issues: readonly Issue[]): Statement[] {
  const rows = issues.flatMap(toRows);
  return rows.length > 0 ? [insertTickets(rows)] : [];
}

const toRows = ({ eventId, orderId, lines, holder, codes, at }: Issue): NewTicketRow[] =>
  lines.flatMap(({ itemId, quantity, sessionIds }) =>
    Array.from({ length: quantity }, () => ({
      event_id: eventId,
      order_id: orderId,
      item_id: itemId,
      session_ids: sessionIds,
      holder,
      external_code_id: codes.get(itemId)?.shift() ?? null,
      created_at: at,
    })),
  );

/** Creates missing keys in the order of the event ids. This prevents deadlocks between concurrent transactions. */
export async function ensureTicketKeys(tx: Tx, act: Act, eventIds: readonly number[]): Promise<void> {
  for (const eventId of [...new Set(eventIds)].toSorted((a, b) => a - b)) await ensureTicketKey(tx, act, eventId);
}
