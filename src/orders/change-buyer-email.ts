import { lockStock } from '../catalog/stock.ts';
import type { Act } from '../kernel/act.ts';
import { Problem, ruleViolation } from '../kernel/problem.ts';
import { recordAll } from '../platform/audit.ts';
import { type NewMail, queueMails } from '../platform/mail/outbox.ts';
import type { Tx } from '../postgres/database.ts';
import { executeAll } from '../postgres/pipeline.ts';
import { buyerOf, hashesOf, readBuyerLimits, stillCounted } from './buyer-limits.ts';
import { refuseOverBuyerLimit } from './decide-order.ts';
import { describeOrder, keyOf, type OrderRow, statusAt } from './order.ts';
import { lockOrder } from './order-access.ts';
import { deleteLinks } from './order-links.sql.ts';
import type { Order } from './order-schemas.ts';
import { updateBuyers } from './order-writes.sql.ts';
import { mailLocale, orderMailPrefix } from './queue-order-mails.ts';
import { stockToLock } from './status-change.ts';

/**
 * Changes the address of a paid order, for example after a typing mistake. The links in earlier mails stop working, because the earlier address
 * may belong to a stranger. The new address gets the tickets, and the earlier address is told.
 */
export async function changeBuyerEmail(tx: Tx, act: Act, id: number, email: string): Promise<Order> {
  const before = await lockOrder(tx, id);
  const after = { ...before, buyer_email: email };
  const earlier = requireChange(before, email, act.at);
  const buyers = await moveBuyerLimits(tx, before, after);
  const eventId = before.event_id;
  const change = { subject: 'order' as const, id, eventId, after: { buyerEmail: 'changed' } };
  await executeAll(tx, [
    updateBuyers([{ ...keyOf(before), ...columnsOf(before), buyer_email: email }]),
    ...buyers.statements(),
    deleteLinks({ eventId, id }),
    ...queueMails(mailsAbout(before, earlier, act.at)),
    ...recordAll([{ act, change }]),
  ]);
  return describeOrder(after, act);
}

/** Returns the earlier address. */
function requireChange(order: OrderRow, email: string, at: Date): string {
  const status = statusAt(order, at);
  if (status === 'held') throw new Problem('wrong_state', 'The order is held. Change its buyer with PUT /orders/{id}/buyer.');
  if (status !== 'approved') throw new Problem('wrong_state', `The order is ${status}. Only approved orders have tickets to mail.`);
  const { buyer_email: earlier } = order;
  if (earlier === null) throw new Problem('wrong_state', 'The buyer data of this order was erased.');
  if (earlier.toLowerCase() === email.toLowerCase())
    throw ruleViolation('email', 'unchanged', 'The order already has this address. Send the tickets with POST /orders/{id}/tickets/mail.');
  return earlier;
}

/** The tickets count for the new address from now on. Every transaction that changes the counts of an item locks the item first. */
async function moveBuyerLimits(tx: Tx, before: OrderRow, after: OrderRow) {
  const stock = await lockStock(tx, stockToLock([before]));
  const { lines } = stillCounted(before);
  const [oldHashes, newHashes] = [hashesOf(buyerOf(before)), hashesOf(buyerOf(after))];
  const added = newHashes.filter((hash) => !oldHashes.includes(hash));
  const buyers = await readBuyerLimits(tx, stock, [{ eventId: before.event_id, items: lines, buyer: buyerOf(after) }]);
  const refusal = refuseOverBuyerLimit(lines, added, buyers);
  if (refusal) throw refusal;
  buyers.giveBack(
    before.event_id,
    oldHashes.filter((hash) => !newHashes.includes(hash)),
    lines,
  );
  buyers.take(added, lines);
  return buyers;
}

const columnsOf = ({ buyer_name, buyer_document, locale }: OrderRow) => ({ buyer_name: buyer_name ?? '', buyer_document, locale });

function mailsAbout(order: OrderRow, earlier: string, at: Date): NewMail[] {
  const { eventId, id } = keyOf(order);
  const common = { eventId, locale: mailLocale(order), payload: { eventId, orderId: id }, at };
  const key = `${orderMailPrefix(id)}email/${at.toISOString()}`;
  return [
    { ...common, kind: 'order_confirmation', recipient: null, dedupeKey: `${key}/tickets` },
    { ...common, kind: 'buyer_email_changed', recipient: earlier, dedupeKey: `${key}/notice` },
  ];
}
