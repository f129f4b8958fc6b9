import type { Act } from '../kernel/act.ts';
import { localeOfCurrency } from '../kernel/locale.ts';
import { Problem } from '../kernel/problem.ts';
import type { GeneratedFile } from '../kernel/route.ts';
import type { Tx } from '../postgres/database.ts';
import { ticketPdf } from '../tickets/pdf/ticket-pdf.ts';
import type { TicketSheet } from '../tickets/ticket-sheet.ts';
import { orderCalendar } from './order-calendar.ts';
import { readTicketSheet } from './read-ticket-sheet.ts';
import type { TicketFileQuery } from './ticket-contract.ts';

/** More than an order can have. */
const allTickets = 10_000;

export async function getTicketsPdf(tx: Tx, act: Act, id: number, { locale, secret }: TicketFileQuery): Promise<GeneratedFile> {
  const sheet = await requireTickets(tx, act, id, secret);
  return ticketPdf(sheet, locale ?? localeOfCurrency(sheet.currency));
}

export async function getOrderCalendar(
  tx: Tx,
  act: Act,
  id: number,
  { locale, secret }: TicketFileQuery,
  shopUrl: string,
): Promise<GeneratedFile> {
  const sheet = await requireTickets(tx, act, id, secret);
  return orderCalendar(sheet, locale ?? localeOfCurrency(sheet.currency), shopUrl);
}

/** Reads the sheet of an order that has tickets which are not refunded. */
async function requireTickets(tx: Tx, act: Act, id: number, secret: string | undefined): Promise<TicketSheet> {
  const sheet = await readTicketSheet(tx, act, { id, secret, limit: allTickets });
  if (sheet.tickets.every(({ status }) => status === 'refunded'))
    throw new Problem('wrong_state', 'The order has no valid tickets. Only paid orders have tickets.');
  return sheet;
}
