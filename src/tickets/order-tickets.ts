import { createHash } from 'node:crypto';
import { Problem } from '../kernel/problem.ts';
import type { GeneratedFile } from '../kernel/route.ts';
import type { Tx } from '../postgres/database.ts';
import type { Statement } from '../postgres/pipeline.ts';
import { selectPrintedTickets } from './printed-tickets.sql.ts';
import { qrPng, qrSvg } from './qr-code.ts';
import { shortCodesOf } from './short-code.ts';
import { signTickets } from './ticket-code.ts';
import { ticketKeys } from './ticket-keys.ts';
import type { SheetTicket } from './ticket-sheet.ts';
import * as rows from './tickets.sql.ts';

export type { RefundableTicket } from './tickets.sql.ts';

/** A ticket with the code that admits its holder. */
export interface CodedTicket {
  id: number;
  itemId: number;
  name: string;
  sessionIds: number[];
  status: 'valid' | 'refunded';
  code: string;
  /** Null for tickets with an imported code. */
  shortCode: string | null;
  /** Whether somebody was admitted with this ticket. */
  used: boolean;
}

/** Returns tickets of an order with their codes, sorted by id. */
export async function readTickets(tx: Tx, asked: rows.TicketsOfOrder): Promise<CodedTicket[]> {
  return (await withCodes(tx, asked.eventId, await rows.selectTickets(tx, asked))).map(describeTicket);
}

export const countTickets = (tx: Tx, eventId: number, orderId: number): Promise<number> => rows.countTickets(tx, eventId, orderId);

const describeTicket = ({
  id,
  item_id: itemId,
  name,
  session_ids: sessionIds,
  status,
  code,
  shortCode,
  used,
}: WithCode<rows.TicketRow>): CodedTicket => ({
  id,
  itemId,
  name,
  sessionIds,
  status,
  code,
  shortCode,
  used,
});

type WithCode<T> = Omit<T, 'code'> & { code: string; shortCode: string | null };

/** Adds the codes of each ticket. Signed codes and short codes are not stored: the same ticket and key always result in the same codes. */
async function withCodes<T extends { id: number; code: string | null }>(
  tx: Tx,
  eventId: number,
  tickets: readonly T[],
): Promise<WithCode<T>[]> {
  const unsigned = tickets.filter(({ code }) => code === null).map(({ id }) => id);
  const key = unsigned.length > 0 ? (await ticketKeys(tx, [eventId])).get(eventId) : undefined;
  if (unsigned.length > 0 && !key) throw new Error(`Event ${eventId} has tickets but no key to sign them`);
  const signed = key ? await signTickets(key, unsigned) : new Map<number, string>();
  const shortCodes = key && shortCodesOf(key);
  return tickets.map((ticket) => ({
    ...ticket,
    code: ticket.code ?? (signed.get(ticket.id) as string),
    shortCode: shortCodes && ticket.code === null ? shortCodes.encode(ticket.id) : null,
  }));
}

/** Returns the first tickets of an order as they are printed, and how many tickets the order has. */
export async function readPrintedTickets(
  tx: Tx,
  eventId: number,
  orderId: number,
  limit: number,
): Promise<{ tickets: SheetTicket[]; total: number }> {
  const found = await selectPrintedTickets(tx, eventId, orderId, limit);
  return { tickets: await withCodes(tx, eventId, found), total: found[0]?.total ?? 0 };
}

export interface TicketOfOrder {
  eventId: number;
  orderId: number;
  id: number;
}

/** Returns the QR code of a ticket as a picture. */
export async function drawTicket(tx: Tx, { eventId, orderId, id }: TicketOfOrder, format: 'svg' | 'png'): Promise<GeneratedFile> {
  const row = await rows.selectTicket(tx, eventId, orderId, id);
  if (!row) throw new Problem('not_found');
  if (row.status !== 'valid') throw new Problem('wrong_state', `The ticket is ${row.status}. Only valid tickets have a QR code.`);
  const [ticket] = await withCodes(tx, eventId, [row]);
  const code = ticket?.code ?? '';
  const tag = createHash('sha1').update(`${format} ${code}`).digest('base64url');
  const name = `ticket-${id}.${format}`;
  return format === 'svg'
    ? { content: qrSvg(code), name, mediaType: 'image/svg+xml', tag }
    : { content: qrPng(code), name, mediaType: 'image/png', tag };
}

interface OrderKey {
  event_id: number;
  id: number;
}

/**
 * Returns all tickets of an order, including refunded tickets. Call `lockDoor` first, so that an unused ticket cannot be used before the
 * commit.
 */
export const readRefundableTickets = (tx: Tx, order: OrderKey): Promise<rows.RefundableTicket[]> => rows.selectRefundable(tx, order);

export const refundTickets = (order: OrderKey, ids: readonly number[]): Statement => rows.refundTickets(order, ids);

/** Marks all tickets of an order as disputed or not disputed. The caller has locked the door. */
export const markDisputed = (order: OrderKey, disputed: boolean): Statement => rows.updateDisputed(order, disputed);

export const eraseHolder = ({ event_id: eventId, id }: OrderKey): Statement => rows.eraseHolder(eventId, id);
