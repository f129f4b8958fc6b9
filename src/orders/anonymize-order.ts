import { lockStock } from '../catalog/stock.ts';
import type { Act } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import { recordAll } from '../platform/audit.ts';
import { eraseMailsAbout } from '../platform/mail/outbox.ts';
import type { Tx } from '../postgres/database.ts';
import { executeAll } from '../postgres/pipeline.ts';
import { eraseHolder } from '../tickets/order-tickets.ts';
import { giveBack, keysOf } from './buyer-limits.ts';
import { aboutOrder } from './confirm-by-mail.ts';
import type { Order } from './contract.ts';
import { describeOrder, lockOrder, statusAt } from './order.ts';
import { eraseBuyer } from './order-reads.sql.ts';
import type { OrderRow } from './order-row.ts';
import { forgetBuyers } from './order-writes.sql.ts';
import { countersOf } from './settle-orders.ts';

/**
 * Erases who bought, for good, and with it the counts by which the buyer could be known again. What was bought and paid stays. Mails that
 * have not gone out never will.
 */
export async function anonymizeOrder(tx: Tx, act: Act, id: number): Promise<Order> {
  const order = await lockOrder(tx, id);
  if (statusAt(order, act.at) === 'held') throw new Problem('wrong_state', 'The order is held: its buyer is still needed');
  // The locks of the items guard the counts of their buyers.
  await lockStock(tx, countersOf([order]));
  const change = { subject: 'order' as const, id, eventId: order.event_id, after: { anonymized: true } };
  await executeAll(tx, [
    eraseBuyer(id),
    eraseHolder(order),
    ...giveBack([stillCounted(order)]),
    eraseMailsAbout(aboutOrder(id)),
    ...recordAll([{ act, change }]),
  ]);
  const { buyer_email: email, buyer_document: document } = order;
  const itemIds = order.lines.map(({ itemId }) => itemId);
  if (email !== null) await forgetBuyers(tx, order.event_id, itemIds, keysOf({ email, document }));
  return describeOrder({ ...order, buyer_name: null, buyer_email: null, buyer_document: null }, act.at);
}

/** What of an order counts for its buyer: nothing of one that was given up, and nothing that is on sale again. */
function stillCounted(order: OrderRow): OrderRow {
  const ended = order.status === 'expired' || order.status === 'cancelled';
  return { ...order, lines: ended ? [] : order.lines.map((line) => ({ ...line, quantity: line.quantity - line.restocked })) };
}
