import { boxOffice } from '../catalog/item.ts';
import { Problem, ruleViolation } from '../kernel/problem.ts';
import type { Tx } from '../postgres/database.ts';
import type { RefundableTicket } from '../tickets/order-tickets.ts';
import type { RefundBody } from './contract.ts';
import { selectWithdrawalTerms } from './order-reads.sql.ts';
import type { OrderRow } from './order-row.ts';

const dayMs = 24 * 60 * 60_000;

/**
 * Who bought at a distance may think better of it: the whole order, for as many days as the event gives, before the first of what was
 * bought begins, and before anybody came in by it. The door is locked.
 */
export async function requireWithdrawable(
  tx: Tx,
  order: OrderRow,
  tickets: readonly RefundableTicket[],
  at: Date,
  { lines, ticketIds, includeUsed, restock }: RefundBody,
): Promise<void> {
  if (lines) throw ruleViolation('lines', 'crew', 'A buyer withdraws from the whole order');
  if (ticketIds) throw ruleViolation('ticketIds', 'crew', 'A buyer withdraws from the whole order');
  if (includeUsed) throw ruleViolation('includeUsed', 'crew', 'Only the crew refunds used tickets');
  if (restock === false) throw ruleViolation('restock', 'crew', 'What a buyer withdraws from is on sale again');
  const closed = (detail: string, extra = {}) => new Problem('withdrawal_closed', detail, { extra });
  if (order.app_category_id === boxOffice) throw closed('What was bought at the box office is refunded there');
  const { days, begins } = await selectWithdrawalTerms(tx, order);
  if (days === 0) throw closed('This event takes nothing back from its buyers');
  if (tickets.some(({ used }) => used)) throw closed('Somebody came in with a ticket of this order');
  const last = (order.approved_at ?? at).getTime() + days * dayMs;
  const until = new Date(Math.min(last, begins?.getTime() ?? last));
  if (at >= until) throw closed(`The buyer could withdraw until ${until.toISOString()}`, { until: until.toISOString() });
}
