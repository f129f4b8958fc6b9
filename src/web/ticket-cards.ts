import type { Act } from '../kernel/act.ts';
import { toWallClock } from '../kernel/wall-clock.ts';
import { readTicketSheet } from '../orders/read-ticket-sheet.ts';
import type { Tx } from '../postgres/database.ts';
import { qrPath } from '../tickets/qr-code.ts';
import { itemOf, type SheetTicket, sessionsOf, type TicketSheet } from '../tickets/ticket-sheet.ts';
import type { Image } from './contract.ts';
import type { TicketCard, TicketCards } from './ticket-card-contract.ts';

/** A card has about 5 kB, most of it its QR code. The PDF contains all tickets. */
const maxCards = 50;

interface CardsQuery {
  id: number;
  secret: string | undefined;
  /** The wide poster of the event. */
  image: Image;
}

/** Reads the tickets of an order as cards. Throws 404 if the secret does not open the order. */
export async function readTicketCards(tx: Tx, act: Act, { id, secret, image }: CardsQuery): Promise<TicketCards> {
  const sheet = await readTicketSheet(tx, act, { id, secret, limit: maxCards });
  const { event, total } = sheet;
  return {
    orderId: id,
    title: event.title,
    image,
    venue: event.venue && { name: event.venue.name, address: event.venue.address },
    cards: sheet.tickets.map((ticket) => cardOf(sheet, ticket)),
    total,
  };
}

function cardOf(sheet: TicketSheet, ticket: SheetTicket): TicketCard {
  const { id, number, holder, status, code, shortCode } = ticket;
  const local = (instant: Date) => toWallClock(instant, sheet.event.timezone);
  const sessions = sessionsOf(sheet, ticket).map(({ name, startsAt, doorsOpenAt }) => ({
    name: sheet.sessions.length > 1 ? name : null,
    start: local(startsAt),
    doorsOpenAt: doorsOpenAt && local(doorsOpenAt),
  }));
  const codes = status === 'refunded' ? { qr: null, shortCode: null } : { qr: qrPath(code), shortCode };
  return { id, number, item: itemOf(ticket), holder, status, sessions, ...codes };
}
