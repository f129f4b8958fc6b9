import type { Act } from '../kernel/act.ts';
import { idsByEvent } from '../kernel/ids-by-event.ts';
import { recordAll } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { executeAll } from '../postgres/pipeline.ts';
import {
  countOldUnpaidOrders,
  lockUnpaidOrders,
  type OldUnpaidOrder,
  selectOldUnpaidOrders,
  selectUnpaidOrders,
} from './anonymize-unpaid-orders.sql.ts';
import { deleteZeroCounts } from './buyer-limits.sql.ts';
import { buyerHashes } from './buyer-limits.ts';
import { keyOf } from './order.ts';
import { eraseBuyers } from './order-writes.sql.ts';

/** Counts the expired and cancelled orders that ended before this time and still have buyer data. */
export const countUnpaidOrders = (tx: Tx, before: Date): Promise<number> => countOldUnpaidOrders(tx, before);

/**
 * Erases the buyer data of up to `limit` expired and cancelled orders that ended before this time. Also deletes the counts of these buyers
 * that are 0. The orders stay, because counters, reports and the audit log refer to them. Returns the number of changed orders.
 */
export async function anonymizeUnpaidOrders(tx: Tx, act: Act, before: Date, limit: number): Promise<number> {
  let count = 0;
  for (const [eventId, ids] of idsByEvent(await selectOldUnpaidOrders(tx, before, limit))) {
    const orders = await selectUnpaidOrders(tx, eventId, await lockUnpaidOrders(tx, eventId, ids));
    if (orders.length === 0) continue;
    await executeAll(tx, [eraseBuyers(orders.map(keyOf)), deleteZeroCounts(orders.flatMap(buyerKeysOf))]);
    count += orders.length;
  }
  const change = { subject: 'retention' as const, id: 'holds', after: { anonymized: count } };
  if (count > 0) await executeAll(tx, recordAll([{ act, change }]));
  return count;
}

const buyerKeysOf = ({ event_id: eventId, buyer_email: email, buyer_document: document, item_ids: itemIds }: OldUnpaidOrder) =>
  buyerHashes({ email, document }).flatMap((buyer) => itemIds.map((itemId) => ({ eventId, itemId, buyer })));
