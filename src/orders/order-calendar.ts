import { createHash } from 'node:crypto';
import ical, { type ICalCalendar, ICalEventStatus } from 'ical-generator';
import type { Locale } from '../kernel/locale.ts';
import type { GeneratedFile } from '../kernel/route.ts';
import { oneLine } from '../platform/mail/letter.ts';
import { itemOf, type SheetSession, type SheetTicket, type TicketSheet } from '../tickets/ticket-sheet.ts';
import { words } from '../tickets/ticket-words.ts';

/**
 * Returns the sessions of an order as an iCalendar file. Times are in UTC, so that the file needs no rules of time zones and calendars show
 * the local time of their reader. The UID of a session does not change: a calendar that reads the file again updates its entry.
 */
export function orderCalendar(sheet: TicketSheet, locale: Locale, shopUrl: string): GeneratedFile {
  const calendar = ical({ prodId: { company: 'Tessera', product: 'Tickets', language: locale.toUpperCase() } });
  for (const session of sheet.sessions) {
    const tickets = sheet.tickets.filter(({ status, sessionIds }) => status !== 'refunded' && sessionIds.includes(session.id));
    if (tickets.length > 0) addSession(calendar, sheet, session, tickets, { locale, shopUrl });
  }
  const content = `${calendar.toString()}\r\n`;
  const tag = createHash('sha1').update(content).digest('base64url');
  return { content, name: `order-${sheet.orderId}.ics`, mediaType: 'text/calendar; charset=utf-8', tag };
}

function addSession(
  calendar: ICalCalendar,
  sheet: TicketSheet,
  session: SheetSession,
  tickets: readonly SheetTicket[],
  { locale, shopUrl }: { locale: Locale; shopUrl: string },
): void {
  const { orderId, approvedAt, event, sessions } = sheet;
  const { venue } = event;
  const place = venue && oneLine([venue.name, venue.address].filter(Boolean).join(', '));
  const isOneOfMany = sessions.length > 1;
  const address = `${shopUrl}/${locale}/orders/${orderId}`;
  const created = calendar.createEvent({
    id: `order-${orderId}-session-${session.id}@tessera`,
    stamp: approvedAt,
    start: session.startsAt,
    end: session.finishesAt,
    summary: oneLine(isOneOfMany ? `${event.title}: ${session.name}` : event.title),
    description: [...describeTickets(tickets), ...doorsLine(sheet, session, locale), `${words[locale].order} ${orderId}`, address].join(
      '\n',
    ),
    url: address,
    ...(event.isCancelled && { status: ICalEventStatus.CANCELLED }),
  });
  if (place && venue.lat !== null && venue.lng !== null) created.location({ title: place, geo: { lat: venue.lat, lon: venue.lng } });
  else if (place) created.location(place);
}

/** For example `2 × Pista · 2º lote`. The holder is left out: people share calendars. */
function describeTickets(tickets: readonly SheetTicket[]): string[] {
  const counts = new Map<string, number>();
  for (const ticket of tickets) counts.set(oneLine(itemOf(ticket)), (counts.get(oneLine(itemOf(ticket))) ?? 0) + 1);
  return [...counts].map(([item, count]) => `${count} × ${item}`);
}

function doorsLine({ event: { timezone: timeZone } }: TicketSheet, { doorsOpenAt }: SheetSession, locale: Locale): string[] {
  if (!doorsOpenAt) return [];
  const time = new Intl.DateTimeFormat(locale, { hour: 'numeric', minute: '2-digit', timeZone });
  return [words[locale].doors(time.format(doorsOpenAt))];
}
