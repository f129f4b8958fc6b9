import type { Act } from '../kernel/act.ts';
import type { Tx } from '../postgres/database.ts';
import type { OrderTicket } from './contract.ts';
import { requireOrder } from './order.ts';
import { qrPng, qrSvg } from './qr-code.ts';
import { signTicket } from './ticket-code.ts';
import { ticketKeys } from './ticket-keys.ts';
import { selectTickets } from './tickets.sql.ts';

export interface TicketsQuery {
  secret?: string;
  qr?: 'svg' | 'png';
}

export async function getOrderTickets(tx: Tx, act: Act, id: number, { secret, qr }: TicketsQuery): Promise<OrderTicket[]> {
  const tickets = await ticketsOf(tx, await requireOrder(tx, act, id, secret, 'order.read'));
  return tickets.map((ticket) => ({ ...ticket, qr: pictureOf(ticket.code, qr) }));
}

/** The code of a ticket is made again each time, and is always the same. */
export async function ticketsOf(tx: Tx, { event_id: eventId, id }: { event_id: number; id: number }): Promise<OrderTicket[]> {
  const key = (await ticketKeys(tx, [eventId])).get(eventId);
  const rows = await selectTickets(tx, eventId, id);
  return rows.map((row) => {
    if (!key) throw new Error(`Event ${eventId} has tickets and no key to sign them`);
    const code = row.code ?? signTicket(key, { eventId, ticketId: row.id });
    const { item_id: itemId, session_ids: sessionIds, name, status } = row;
    return { id: row.id, itemId, name, sessionIds, status, code, qr: null };
  });
}

function pictureOf(code: string, form: TicketsQuery['qr']): string | null {
  if (form === 'svg') return qrSvg(code);
  return form === 'png' ? `data:image/png;base64,${qrPng(code).toString('base64')}` : null;
}
