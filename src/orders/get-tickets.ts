import { createHash } from 'node:crypto';
import type { Act } from '../kernel/act.ts';
import { afterId, rowsToFetch, toPage } from '../kernel/cursor.ts';
import { Problem } from '../kernel/problem.ts';
import type { MadeFile } from '../kernel/route.ts';
import type { Page, PageQuery } from '../kernel/schema.ts';
import type { Tx } from '../postgres/database.ts';
import type { OrderTicket } from './contract.ts';
import { requireOrder } from './order.ts';
import { qrPng, qrSvg } from './qr-code.ts';
import { signTickets } from './ticket-code.ts';
import { ticketKeys } from './ticket-keys.ts';
import { countTickets, selectTicket, selectTickets, type TicketRow } from './tickets.sql.ts';

export type TicketsQuery = PageQuery & { secret?: string };

/** One page. An order may have thousands of tickets, and each code takes a signature. */
export async function getOrderTickets(tx: Tx, act: Act, id: number, query: TicketsQuery): Promise<Page<OrderTicket>> {
  const { event_id: eventId } = await requireOrder(tx, act, id, query.secret, 'order.read');
  const rows = await selectTickets(tx, { eventId, orderId: id, after: afterId(query), limit: rowsToFetch(query) });
  const total = query.count ? await countTickets(tx, eventId, id) : undefined;
  const page = toPage(
    rows,
    query,
    (row) => [row.id],
    (row) => row,
    total,
  );
  return { ...page, data: await withCodes(tx, eventId, page.data) };
}

/** The first valid tickets of an order. */
export async function firstTickets(tx: Tx, { event_id: eventId, id }: { event_id: number; id: number }, limit: number) {
  return withCodes(tx, eventId, await selectTickets(tx, { eventId, orderId: id, limit, validOnly: true }));
}

/** Codes are not stored: signing a ticket again gives the same code. */
async function withCodes(tx: Tx, eventId: number, rows: readonly TicketRow[]): Promise<OrderTicket[]> {
  const unsigned = rows.filter(({ code }) => code === null).map(({ id }) => id);
  const key = unsigned.length > 0 ? (await ticketKeys(tx, [eventId])).get(eventId) : undefined;
  if (unsigned.length > 0 && !key) throw new Error(`Event ${eventId} has tickets and no key to sign them`);
  const signed = key ? await signTickets(key, unsigned) : new Map<number, string>();
  return rows.map(({ id, item_id: itemId, name, session_ids: sessionIds, status, code }) => ({
    id,
    itemId,
    name,
    sessionIds,
    status,
    code: code ?? (signed.get(id) as string),
  }));
}

export interface PictureQuery {
  orderId: number;
  secret?: string;
}

export async function drawTicket(tx: Tx, act: Act, id: number, { orderId, secret }: PictureQuery, form: 'svg' | 'png'): Promise<MadeFile> {
  const { event_id: eventId } = await requireOrder(tx, act, orderId, secret, 'order.read');
  const row = await selectTicket(tx, eventId, orderId, id);
  if (!row) throw new Problem('not_found');
  if (row.status !== 'valid') throw new Problem('wrong_state', `The ticket is ${row.status}`);
  const [ticket] = await withCodes(tx, eventId, [row]);
  const code = ticket?.code ?? '';
  const tag = createHash('sha1').update(`${form} ${code}`).digest('base64url');
  const name = `ticket-${id}.${form}`;
  return form === 'svg'
    ? { content: qrSvg(code), name, mediaType: 'image/svg+xml', tag }
    : { content: qrPng(code), name, mediaType: 'image/png', tag };
}
