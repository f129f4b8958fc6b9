import { lockStock } from '../catalog/stock.ts';
import type { Act } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import { recordAll } from '../platform/audit.ts';
import { eraseMailsAbout } from '../platform/mail/outbox.ts';
import type { Tx } from '../postgres/database.ts';
import { executeAll } from '../postgres/pipeline.ts';
import { eraseHolder } from '../tickets/order-tickets.ts';
import { type BuyerKey, deleteZeroCounts } from './buyer-limits.sql.ts';
import { buyerOf, hashesOf, releaseBuyerLimits, stillCounted } from './buyer-limits.ts';
import { describeOrder, type OrderRow, statusAt } from './order.ts';
import { lockOrder } from './order-access.ts';
import { deleteLinks } from './order-links.sql.ts';
import { deleteNotes } from './order-notes.sql.ts';
import type { Order } from './order-schemas.ts';
import { eraseBuyers } from './order-writes.sql.ts';
import { orderMailPrefix } from './queue-order-mails.ts';
import { stockToLock } from './status-change.ts';

/**
 * Erases the name, e-mail address and document of the buyer. Also subtracts the order from the ticket counts of the buyer, and deletes
 * mails about the order that were not sent yet, the links in the others, and the notes of the crew. Lines, payments and tickets stay.
 */
export async function anonymizeOrder(tx: Tx, act: Act, id: number): Promise<Order> {
  const order = await lockOrder(tx, id);
  if (statusAt(order, act.at) === 'held')
    throw new Problem(
      'wrong_state',
      'The order is held, and its buyer data is still needed. Cancel the order or wait until the hold expires.',
    );
  // Every transaction that changes the buyer counts of an item locks the item first.
  await lockStock(tx, stockToLock([order]));
  const eventId = order.event_id;
  const change = { subject: 'order' as const, id, eventId, after: { anonymized: true } };
  await executeAll(tx, [
    eraseBuyers([{ eventId, id }]),
    eraseHolder(order),
    ...releaseBuyerLimits([stillCounted(order)]),
    deleteZeroCounts(buyerKeysOf(order)),
    eraseMailsAbout(eventId, orderMailPrefix(id)),
    deleteLinks({ eventId, id }),
    deleteNotes({ eventId, id }),
    ...recordAll([{ act, change }]),
  ]);
  return describeOrder({ ...order, buyer_name: null, buyer_email: null, buyer_document: null }, act);
}

const buyerKeysOf = (order: OrderRow): BuyerKey[] =>
  hashesOf(buyerOf(order)).flatMap((buyer) => order.lines.map(({ itemId }) => ({ eventId: order.event_id, itemId, buyer })));
