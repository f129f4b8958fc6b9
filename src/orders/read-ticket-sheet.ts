import { doorsOpenAt } from '../events/doors.ts';
import type { Act } from '../kernel/act.ts';
import type { Tx } from '../postgres/database.ts';
import { readPrintedTickets } from '../tickets/order-tickets.ts';
import type { TicketSheet } from '../tickets/ticket-sheet.ts';
import { requireOrder } from './order-access.ts';
import { type SheetEventRow, selectSheetEvent, selectSheetSessions } from './ticket-sheet.sql.ts';

export interface SheetQuery {
  id: number;
  secret: string | undefined;
  /** The maximum number of tickets to return. */
  limit: number;
}

/** Reads the first tickets of an order with everything that is printed on them. An order that was not approved has no tickets. */
export async function readTicketSheet(tx: Tx, act: Act, { id, secret, limit }: SheetQuery): Promise<TicketSheet> {
  const order = await requireOrder(tx, act, id, secret, 'order.read');
  const { event_id: eventId, approved_at: approvedAt, created_at: createdAt, currency } = order;
  const { tickets, total } = await readPrintedTickets(tx, eventId, id, limit);
  const event = await selectSheetEvent(tx, eventId);
  const sessions = await selectSheetSessions(tx, eventId, [...new Set(tickets.flatMap(({ sessionIds }) => sessionIds))]);
  return {
    orderId: id,
    approvedAt: approvedAt ?? createdAt,
    currency,
    event: describeEvent(event),
    sessions: sessions.map((session) => ({ ...session, doorsOpenAt: doorsOpenAt(session.startsAt, event.doors_open) })),
    tickets,
    total,
  };
}

function describeEvent(row: SheetEventRow): TicketSheet['event'] {
  const { id, title, link, category, timezone, status, venue_name: name, venue_lat: lat, venue_lng: lng } = row;
  const address = [row.venue_street, row.venue_city, row.venue_state].filter((part) => part !== null).join(', ');
  return {
    id,
    title,
    link,
    category,
    timezone,
    isCancelled: status === 'cancelled',
    venue: name === null ? null : { name, address, lat, lng },
  };
}
