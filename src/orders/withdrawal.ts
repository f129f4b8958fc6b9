import { boxOffice } from '../catalog/item.ts';
import type { Act } from '../kernel/act.ts';
import { Problem, ruleViolation } from '../kernel/problem.ts';
import type { Tx } from '../postgres/database.ts';
import type { RefundableTicket } from '../tickets/order-tickets.ts';
import type { RefundBody } from './contract.ts';
import { type OrderRow, statusAt } from './order.ts';
import { requireOrder } from './order-access.ts';
import { selectWithdrawalTerms } from './order-reads.sql.ts';

const dayMs = 24 * 60 * 60_000;

/**
 * Checks the right of withdrawal for distance sales. A buyer may withdraw only from the whole order: within the withdrawal period of the
 * event, before the first session of the order starts, and before a ticket is used. The caller has locked the door.
 */
export async function requireWithdrawable(
  tx: Tx,
  order: OrderRow,
  tickets: readonly RefundableTicket[],
  at: Date,
  { lines, ticketIds, includeUsed, restock }: RefundBody,
): Promise<void> {
  if (lines) throw ruleViolation('lines', 'crew', 'A buyer can only withdraw from the whole order. Leave out lines.');
  if (ticketIds) throw ruleViolation('ticketIds', 'crew', 'A buyer can only withdraw from the whole order. Leave out ticketIds.');
  if (includeUsed) throw ruleViolation('includeUsed', 'crew', 'Only the crew can refund used tickets. Leave out includeUsed.');
  if (restock === false) throw ruleViolation('restock', 'crew', 'Only the crew can refund without restocking. Leave out restock.');
  const closed = (detail: string, extra = {}) => new Problem('withdrawal_closed', detail, { extra });
  if (order.app_category_id === boxOffice) throw closed('This order was bought at the box office. Ask for the refund there.');
  const terms = await selectWithdrawalTerms(tx, order);
  if (terms.days === 0) throw closed('This event does not accept withdrawals. Ask its producer for a refund.');
  if (tickets.some(({ used }) => used)) throw closed('A ticket of this order was used at the door, so the buyer can no longer withdraw.');
  const until = endOf(order, terms, at);
  if (at >= until)
    throw closed(`The withdrawal period ended at ${until.toISOString()}. Ask the producer for a refund.`, { until: until.toISOString() });
}

/** The period ends when the first session of the order starts, even if days are left. */
function endOf({ approved_at }: OrderRow, { days, startsAt }: { days: number; startsAt: Date | null }, at: Date): Date {
  const last = (approved_at ?? at).getTime() + days * dayMs;
  return new Date(Math.min(last, startsAt?.getTime() ?? last));
}

/**
 * Returns until when the buyer can withdraw from the order, or null if that is not possible. Whether a ticket was used is not checked here:
 * the withdrawal itself checks it.
 */
export async function readWithdrawalEnd(tx: Tx, act: Act, id: number, secret: string | undefined): Promise<Date | null> {
  const order = await requireOrder(tx, act, id, secret, 'order.read');
  if (statusAt(order, act.at) !== 'approved' || order.app_category_id === boxOffice) return null;
  const terms = await selectWithdrawalTerms(tx, order);
  const until = endOf(order, terms, act.at);
  return terms.days > 0 && act.at < until ? until : null;
}
