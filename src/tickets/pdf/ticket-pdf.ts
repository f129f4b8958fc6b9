import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Locale } from '../../kernel/locale.ts';
import type { GeneratedFile } from '../../kernel/route.ts';
import type { TicketSheet } from '../ticket-sheet.ts';
import { datesOf, drawTicket, type TicketDrawing, ticketSize } from './draw-ticket.ts';
import { drawableText, openFonts } from './fonts.ts';
import { words } from './words.ts';

/** Change this when the drawing changes, so that clients get the new file. */
const design = 2;

const page = { width: 595.28, height: 841.89 };
const perPage = 2;

/**
 * Returns the tickets as a PDF, two on a page of A4. Refunded tickets are left out. The file is drawn when it is sent, after the transaction:
 * 500 tickets take seconds. Its name and its tag say nothing about the buyer.
 */
export function ticketPdf(sheet: TicketSheet, locale: Locale): GeneratedFile {
  const tag = createHash('sha1')
    .update(JSON.stringify([design, locale, sheet]))
    .digest('base64url');
  return { content: () => drawPdf(sheet, locale), name: `tickets-${sheet.orderId}.pdf`, mediaType: 'application/pdf', tag };
}

/** The same tickets result in the same bytes: the only time in the file is the time of the purchase. */
async function drawPdf(sheet: TicketSheet, locale: Locale): Promise<Buffer> {
  // Loaded when it is needed: many processes never draw a ticket.
  const [{ default: PdfDocument }, fonts] = await Promise.all([import('pdfkit'), openFonts()]);
  const title = words[locale].title(drawableText(fonts.bold, sheet.event.title));
  const info = { Title: title, Author: 'Tessera', Creator: 'Tessera', Producer: 'Tessera', CreationDate: sheet.approvedAt };
  const doc = new PdfDocument({ size: 'A4', margin: 0, autoFirstPage: false, font: '', info, lang: locale, displayTitle: true });
  // The types allow only files of fonts, not fonts that are open already.
  for (const [name, font] of Object.entries(fonts)) doc.registerFont(name, font as never);
  const chunks: Buffer[] = [];
  doc.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise((resolve, reject) => doc.once('end', resolve).once('error', reject));
  const tickets = sheet.tickets.filter(({ status }) => status !== 'refunded');
  const drawing: TicketDrawing = { doc, fonts, locale, sheet, dates: datesOf(locale, sheet.event.timezone) };
  const left = (page.width - ticketSize.width) / 2;
  const space = (page.height - perPage * ticketSize.height) / (perPage + 1);
  for (const [i, ticket] of tickets.entries()) {
    // Other requests run between two tickets.
    await nextTurn();
    const place = i % perPage;
    if (place === 0) doc.addPage();
    drawTicket(drawing, ticket, left, space + place * (ticketSize.height + space));
  }
  doc.end();
  await ended;
  return Buffer.concat(chunks);
}
