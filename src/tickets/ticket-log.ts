import { idsByEvent, type RowKey } from '../kernel/ids-by-event.ts';
import type { Statement } from '../postgres/pipeline.ts';
import { insertTicketChanges, lockTicketLogs, type TicketChange, takeChangeNumbers } from './ticket-log.sql.ts';

/**
 * Logs that the tickets of these orders were issued. Devices at the door read the log to learn what has changed. The log of an event is
 * locked until the commit, so send these statements last.
 */
export const logIssuedTickets = (orders: readonly RowKey[]): Statement[] =>
  logChanges(idsByEvent(orders).map(([event_id, issued_order_ids]) => ({ event_id, issued_order_ids })));

/** Logs that these tickets were refunded, or that their payment is disputed or no longer disputed. Send these statements last, like those of `logIssuedTickets`. */
export const logChangedTickets = (tickets: readonly RowKey[]): Statement[] =>
  logChanges(idsByEvent(tickets).map(([event_id, changed_ids]) => ({ event_id, changed_ids })));

function logChanges(changes: readonly TicketChange[]): Statement[] {
  if (changes.length === 0) return [];
  const eventIds = changes.map(({ event_id }) => event_id);
  return [...(eventIds.length > 1 ? [lockTicketLogs(eventIds)] : []), takeChangeNumbers(eventIds), insertTicketChanges(changes)];
}
