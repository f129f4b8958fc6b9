import type { Act } from '../kernel/act.ts';
import { afterId, rowsToFetch, toPage } from '../kernel/cursor.ts';
import type { GeneratedFile } from '../kernel/route.ts';
import type { Page, PageQuery } from '../kernel/schema.ts';
import type { Tx } from '../postgres/database.ts';
import { countTickets, drawTicket, readTickets } from '../tickets/order-tickets.ts';
import { requireOrder } from './order-access.ts';
import type { OrderTicket } from './ticket-contract.ts';

export type TicketsQuery = PageQuery & { secret?: string };

/** Returns one page, because an order may have hundreds of tickets and each ticket code needs a signature. */
export async function getOrderTickets(tx: Tx, act: Act, id: number, query: TicketsQuery): Promise<Page<OrderTicket>> {
  const { event_id: eventId } = await requireOrder(tx, act, id, query.secret, 'order.read');
  const tickets = await readTickets(tx, { eventId, orderId: id, after: afterId(query), limit: rowsToFetch(query) });
  const total = query.count ? await countTickets(tx, eventId, id) : undefined;
  return toPage(
    tickets,
    query,
    (ticket) => [ticket.id],
    (ticket) => ticket,
    total,
  );
}

export interface PictureQuery {
  orderId: number;
  secret?: string;
}

export async function getTicketPicture(tx: Tx, act: Act, id: number, query: PictureQuery, format: 'svg' | 'png'): Promise<GeneratedFile> {
  const { event_id: eventId } = await requireOrder(tx, act, query.orderId, query.secret, 'order.read');
  return drawTicket(tx, { eventId, orderId: query.orderId, id }, format);
}
