import type { Locale } from '../kernel/locale.ts';
import type { TicketBlock } from '../platform/mail/letter.ts';
import type { Renderer } from '../platform/mail/send-mail.ts';
import type { Tx } from '../postgres/database.ts';
import { readTickets } from '../tickets/order-tickets.ts';
import { qrPngs } from '../tickets/qr-code.ts';
import { withGroupNames } from './line-names.ts';
import type { OrderRow } from './order.ts';
import { createLink } from './order-links.ts';
import { confirmationLetter, type OrderOnMail, refundLetter, sessionLine } from './order-mail-texts.ts';
import { selectEventFacts, selectSessionFacts } from './order-mails.sql.ts';
import { selectOrders } from './order-reads.sql.ts';
import type { OrderTicket } from './ticket-contract.ts';

/** A mail contains the first tickets of a large order and a link to the rest, because each ticket takes a signature and a picture. */
const maxTickets = 20;

interface MailContext {
  order: OrderRow;
  address: string;
  onMail: OrderOnMail;
  /** Name and time of each session, shown under its tickets. */
  sessionTexts: Map<number, string>;
  /** Name of each item with its group. */
  itemNames: Map<number, string>;
}

/** The mail shows the tickets that are valid when it is sent. If the buyer data was erased or no ticket is valid, no mail is sent. */
export const renderConfirmation =
  (publicUrl: string): Renderer<'order_confirmation'> =>
  async (tx, { payload, locale, at }) => {
    const context = await readContext(tx, payload, { locale, publicUrl, at });
    if (!context) return null;
    const { order, onMail } = context;
    const tickets = await readTickets(tx, { eventId: order.event_id, orderId: order.id, limit: maxTickets, validOnly: true });
    if (tickets.length === 0) return null;
    const pictures = await qrPngs(tickets.map(({ code }) => code));
    const blocks = tickets.map((ticket, i) => toBlock(ticket, context, pictures[i] as Buffer));
    const valid = order.lines.reduce((sum, { quantity, refunded }) => sum + quantity - refunded, 0);
    return { to: recipientOf(context), letter: confirmationLetter(locale, onMail, blocks, valid - tickets.length) };
  };

export const renderRefund =
  (publicUrl: string): Renderer<'order_refunded'> =>
  async (tx, { payload, locale, at }) => {
    const context = await readContext(tx, payload, { locale, publicUrl, at });
    if (!context) return null;
    const lines = context.onMail.lines.flatMap((line, i) => {
      const refunded = payload.lines.find(({ itemId }) => itemId === context.order.lines[i]?.itemId);
      return refunded ? [{ ...line, quantity: refunded.quantity }] : [];
    });
    return {
      to: recipientOf(context),
      letter: refundLetter(locale, { ...context.onMail, lines, total: payload.amount }, refundFactsOf(context.order)),
    };
  };

/** The mail says what is known when it is sent. The payment provider may fail later, and the link shows it. */
const refundFactsOf = ({ event_status, refunds }: OrderRow) => ({
  eventCancelled: event_status === 'cancelled',
  failed: refunds.some(({ reason, status }) => reason === 'refund' && status === 'failed'),
});

const recipientOf = ({ order, address }: MailContext) => ({ name: order.buyer_name ?? '', address });

async function readContext(
  tx: Tx,
  { eventId, orderId }: { eventId: number; orderId: number },
  { locale, publicUrl, at }: { locale: Locale; publicUrl: string; at: Date },
): Promise<MailContext | null> {
  const [order] = await selectOrders(tx, [{ eventId, id: orderId }]);
  if (!order?.buyer_email) return null;
  const { title, timezone, venue_name, venue_city } = await selectEventFacts(tx, eventId);
  const rows = await selectSessionFacts(tx, eventId, [...new Set(order.lines.flatMap(({ sessionIds }) => sessionIds))]);
  const sessions = rows.map(({ id, name, starts_at }) => ({ id, name, startsAt: starts_at }));
  const lines = await withGroupNames(tx, eventId, order.lines);
  const venue = [venue_name, venue_city].filter((part) => part !== null).join(', ');
  return {
    order,
    address: order.buyer_email,
    sessionTexts: new Map(sessions.map((session) => [session.id, sessionLine(locale, session, timezone)])),
    itemNames: new Map(lines.map(({ itemId, name }) => [itemId, name])),
    onMail: {
      id: order.id,
      buyerName: order.buyer_name,
      eventTitle: title,
      timeZone: timezone,
      venue: venue || null,
      sessions,
      lines: lines.map(({ name, quantity, price, feeSale }) => ({ name, quantity, finalPrice: price + feeSale })),
      total: order.total,
      currency: order.currency,
      link: `${publicUrl}/${locale}/orders/${order.id}?token=${await createLink(tx, { eventId, id: orderId }, at)}`,
    },
  };
}

function toBlock({ id, itemId, name, code, sessionIds }: OrderTicket, { itemNames, sessionTexts }: MailContext, png: Buffer): TicketBlock {
  const detail = sessionIds.flatMap((sessionId) => sessionTexts.get(sessionId) ?? []).join('; ');
  return {
    title: itemNames.get(itemId) ?? name,
    detail,
    code,
    picture: { cid: `ticket-${id}@tessera`, fileName: `ticket-${id}.png`, png },
  };
}
