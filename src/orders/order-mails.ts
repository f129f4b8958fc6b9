import type { Locale } from '../kernel/locale.ts';
import type { TicketBlock } from '../platform/mail/letter.ts';
import type { Renderer } from '../platform/mail/send-mail.ts';
import type { Tx } from '../postgres/database.ts';
import { readTickets } from '../tickets/order-tickets.ts';
import { qrPngs } from '../tickets/qr-code.ts';
import { ticketKeys } from '../tickets/ticket-keys.ts';
import type { OrderTicket } from './contract.ts';
import { mailSecret } from './order-link.ts';
import { confirmationLetter, type OrderOnMail, refundLetter, sessionLine } from './order-mail-texts.ts';
import { selectEventFacts, selectSessionFacts } from './order-mails.sql.ts';
import { selectOrders } from './order-reads.sql.ts';
import type { OrderRow } from './order-row.ts';

/** A mail shows the first tickets of a large order, and a link to the others. Each takes a signature and a picture. */
const mostTickets = 20;

interface Context {
  order: OrderRow;
  address: string;
  onMail: OrderOnMail;
  /** What is said under a ticket: when its sessions are. */
  sessions: Map<number, string>;
}

/** What was sold, with the codes of its tickets, as they are when the mail is sent. Nothing to write where the buyer has been erased. */
export const renderConfirmation =
  (publicUrl: string): Renderer<'order_confirmation'> =>
  async (tx, { payload, locale }) => {
    const context = await readContext(tx, payload.orderId, locale, publicUrl);
    if (!context) return null;
    const { order, onMail, sessions } = context;
    const tickets = await readTickets(tx, { eventId: order.event_id, orderId: order.id, limit: mostTickets, validOnly: true });
    if (tickets.length === 0) return null;
    const pictures = await qrPngs(tickets.map(({ code }) => code));
    const blocks = tickets.map((ticket, i) => toBlock(ticket, sessions, pictures[i] as Buffer));
    const valid = order.lines.reduce((sum, { quantity, refunded }) => sum + quantity - refunded, 0);
    return { to: toOf(context), letter: confirmationLetter(locale, onMail, blocks, valid - tickets.length) };
  };

export const renderRefund =
  (publicUrl: string): Renderer<'order_refunded'> =>
  async (tx, { payload, locale }) => {
    const context = await readContext(tx, payload.orderId, locale, publicUrl);
    if (!context) return null;
    const lines = context.onMail.lines.flatMap((line, i) => {
      const refunded = payload.lines.find(({ itemId }) => itemId === context.order.lines[i]?.itemId);
      return refunded ? [{ ...line, quantity: refunded.quantity }] : [];
    });
    return {
      to: toOf(context),
      letter: refundLetter(locale, { ...context.onMail, lines, total: payload.amount }, context.order.event_status === 'cancelled'),
    };
  };

const toOf = ({ order, address }: Context) => ({ name: order.buyer_name ?? '', address });

async function readContext(tx: Tx, orderId: number, locale: Locale, publicUrl: string): Promise<Context | null> {
  const [order] = await selectOrders(tx, [orderId]);
  if (!order?.buyer_email) return null;
  const { title, timezone, venue_name, venue_city } = await selectEventFacts(tx, order.event_id);
  const key = (await ticketKeys(tx, [order.event_id])).get(order.event_id);
  const rows = await selectSessionFacts(tx, [...new Set(order.lines.flatMap(({ sessionIds }) => sessionIds))]);
  const sessions = rows.map(({ id, name, starts_at }) => ({ id, name, startsAt: starts_at }));
  const venue = [venue_name, venue_city].filter((part) => part !== null).join(', ');
  return {
    order,
    address: order.buyer_email,
    sessions: new Map(sessions.map((session) => [session.id, sessionLine(locale, session, timezone)])),
    onMail: {
      id: order.id,
      buyerName: order.buyer_name,
      eventTitle: title,
      timeZone: timezone,
      venue: venue || null,
      sessions,
      lines: order.lines.map(({ name, quantity, price, feeSale }) => ({ name, quantity, finalPrice: price + feeSale })),
      total: order.total,
      currency: order.currency,
      link: key ? `${publicUrl}/orders/${order.id}?secret=${mailSecret(key, order.id)}` : publicUrl,
    },
  };
}

function toBlock({ id, name, code, sessionIds }: OrderTicket, sessions: Map<number, string>, png: Buffer): TicketBlock {
  const detail = sessionIds.flatMap((sessionId) => sessions.get(sessionId) ?? []).join('; ');
  return { title: name, detail, code, picture: { cid: `ticket-${id}@tessera`, fileName: `ticket-${id}.png`, png } };
}
