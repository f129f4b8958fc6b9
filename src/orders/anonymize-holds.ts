import type { Act } from '../kernel/act.ts';
import { recordAll } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { executeAll } from '../postgres/pipeline.ts';
import { keysOf } from './buyer-limits.ts';
import { countOldHolds, eraseBuyers, forgetBuyersOf, lockOldHolds } from './old-holds.sql.ts';

/** How many orders that were never paid and ended before that time still name their buyer. */
export const countHolds = (tx: Tx, before: Date): Promise<number> => countOldHolds(tx, before);

/**
 * Erases the buyers of orders that were never paid and ended before that time, at most so many, and the counts by which a buyer could be
 * known again. The orders stay, because counters, reports and the audit refer to them. Returns how many.
 */
export async function anonymizeHolds(tx: Tx, act: Act, before: Date, most: number): Promise<number> {
  const orders = await lockOldHolds(tx, before, most);
  if (orders.length === 0) return 0;
  const keys = orders.flatMap(({ event_id: eventId, buyer_email: email, buyer_document: document, item_ids: itemIds }) =>
    keysOf({ email, document }).flatMap((buyer) => itemIds.map((itemId) => ({ eventId, itemId, buyer }))),
  );
  const change = { subject: 'retention' as const, id: 'holds', after: { anonymized: orders.length } };
  await executeAll(tx, [eraseBuyers(orders.map(({ id }) => id)), forgetBuyersOf(keys), ...recordAll([{ act, change }])]);
  return orders.length;
}
