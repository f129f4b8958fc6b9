import { boxOffice } from '../catalog/item.ts';
import { Problem, ruleViolation } from '../kernel/problem.ts';
import type { Tx } from '../postgres/database.ts';
import type { RefundableTicket } from '../tickets/order-tickets.ts';
import type { RefundBody } from './contract.ts';
import type { OrderRow } from './order.ts';
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
  const { days, startsAt } = await selectWithdrawalTerms(tx, order);
  if (days === 0) throw closed('This event does not accept withdrawals. Ask its producer for a refund.');
  if (tickets.some(({ used }) => used)) throw closed('A ticket of this order was used at the door, so the buyer can no longer withdraw.');
  const last = (order.approved_at ?? at).getTime() + days * dayMs;
  const until = new Date(Math.min(last, startsAt?.getTime() ?? last));
  if (at >= until)
    throw closed(`The withdrawal period ended at ${until.toISOString()}. Ask the producer for a refund.`, { until: until.toISOString() });
}
