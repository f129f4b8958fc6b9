import type { Locale } from '../../kernel/locale.ts';
import { qrRuns } from '../qr-code.ts';
import { itemOf, type SheetSession, type SheetTicket, sessionsOf, type TicketSheet } from '../ticket-sheet.ts';
import { words } from '../ticket-words.ts';
import { drawMosaic } from './draw-mosaic.ts';
import { drawableText, type Fonts } from './fonts.ts';

type Document = PDFKit.PDFDocument;

/** Sizes in points, 72 to an inch. */
export const ticketSize = { width: 523, height: 340 };
const strip = { width: 64, columns: 2 };
const stub = { width: 196, margin: 16 };
const gap = 22;
const notch = 9;
const radius = 16;

const colors = { ink: '#16181d', soft: '#565a66', line: '#c9c5d6', brand: '#5b2be0', warn: '#8a4b00', code: '#000000' };

export interface TicketDrawing {
  doc: Document;
  fonts: Fonts;
  locale: Locale;
  sheet: TicketSheet;
  dates: Dates;
}

interface Dates {
  time: Intl.DateTimeFormat;
  day: Intl.DateTimeFormat;
  shortDay: Intl.DateTimeFormat;
}

/** Creating these takes longer than a ticket, so all tickets of a document share them. */
export const datesOf = (locale: Locale, timeZone: string): Dates => ({
  time: new Intl.DateTimeFormat(locale, { hour: 'numeric', minute: '2-digit', timeZone }),
  day: new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeZone }),
  shortDay: new Intl.DateTimeFormat(locale, { weekday: 'short', day: 'numeric', month: 'short', timeZone }),
});

/** Draws a ticket whose upper left corner is at this place: a mosaic, the facts, and a stub with the code. */
export function drawTicket(drawing: TicketDrawing, ticket: SheetTicket, x: number, y: number): void {
  const { doc, sheet } = drawing;
  const { width, height } = ticketSize;
  const cut = width - stub.width;
  doc.save().translate(x, y);
  doc.save();
  outline(doc, cut).clip();
  drawMosaic(doc, sheet.event, { x: 0, y: 0, width: strip.width, height, columns: strip.columns });
  doc.restore();
  outline(doc, cut).lineWidth(0.8).stroke(colors.line);
  doc.lineWidth(1).dash(4, { space: 4 });
  doc
    .moveTo(cut, notch + 6)
    .lineTo(cut, height - notch - 6)
    .stroke(colors.line)
    .undash();
  drawFacts(drawing, ticket, strip.width + gap, cut - strip.width - 2 * gap);
  drawStub(drawing, ticket, cut + stub.margin, stub.width - 2 * stub.margin);
  doc.restore();
}

/** The outline of the ticket, with a notch at each end of the line where the stub is torn off. */
function outline(doc: Document, cut: number): Document {
  const { width, height } = ticketSize;
  const [right, bottom] = [width - radius, height - radius];
  return doc.path(
    `M${radius} 0H${cut - notch}A${notch} ${notch} 0 0 0 ${cut + notch} 0H${right}A${radius} ${radius} 0 0 1 ${width} ${radius}V${bottom}` +
      `A${radius} ${radius} 0 0 1 ${right} ${height}H${cut + notch}A${notch} ${notch} 0 0 0 ${cut - notch} ${height}H${radius}` +
      `A${radius} ${radius} 0 0 1 0 ${bottom}V${radius}A${radius} ${radius} 0 0 1 ${radius} 0Z`,
  );
}

interface TextStyle {
  size: number;
  bold?: boolean;
  color?: string;
  maxLines?: number;
  align?: 'left' | 'center';
}

interface Place {
  x: number;
  y: number;
  width: number;
}

/** Writes a text and returns the place below it. A text that is too long ends with an ellipsis. */
function write({ doc, fonts }: TicketDrawing, text: string, { x, y, width }: Place, style: TextStyle): number {
  const { size, bold = false, color = colors.ink, maxLines = 2, align = 'left' } = style;
  const drawn = drawableText(fonts.regular, text);
  doc
    .font(bold ? 'bold' : 'regular')
    .fontSize(size)
    .fillColor(color);
  const lineHeight = doc.currentLineHeight(true);
  doc.text(drawn, x, y, { width, height: lineHeight * maxLines + 1, ellipsis: '…', align, lineGap: 0 });
  return Math.min(doc.y, y + lineHeight * maxLines);
}

function drawFacts(drawing: TicketDrawing, ticket: SheetTicket, x: number, width: number): void {
  const { sheet, locale } = drawing;
  const { event, total } = sheet;
  const say = words[locale];
  const place = (y: number): Place => ({ x, y, width });
  const soft = { size: 10, color: colors.soft };
  const state = ticket.status === 'used' ? ` · ${say.used}` : '';
  let y = write(drawing, say.number(ticket.number, total) + state, place(22), {
    size: 10,
    bold: true,
    color: ticket.status === 'used' ? colors.warn : colors.brand,
    maxLines: 1,
  });
  y = write(drawing, event.title, place(y + 4), { ...titleStyle(event.title), bold: true });
  y = drawSessions(drawing, sessionsOf(sheet, ticket), place(y + 10));
  if (event.venue) {
    y = write(drawing, event.venue.name, place(y + 10), { size: 11, bold: true });
    if (event.venue.address) write(drawing, event.venue.address, place(y + 1), { ...soft, maxLines: 1 });
  }
  // The facts about this ticket stand at the bottom, so that they are at the same place on all tickets.
  const bottom = ticketSize.height - 118;
  y = write(drawing, say.item, place(bottom), { ...soft, size: 8.5 });
  write(drawing, itemOf(ticket), place(y + 1), { size: 12, bold: true });
  if (ticket.holder === null) return;
  y = write(drawing, say.holder, place(bottom + 50), { ...soft, size: 8.5 });
  write(drawing, ticket.holder, place(y + 1), { size: 12, bold: true });
}

/** Long titles are written smaller. */
const titleStyle = ({ length }: string): { size: number; maxLines: number } =>
  length <= 40 ? { size: 21, maxLines: 2 } : length <= 80 ? { size: 16, maxLines: 3 } : { size: 13, maxLines: 3 };

const maxSessions = 3;

function drawSessions(drawing: TicketDrawing, sessions: readonly SheetSession[], place: Place): number {
  const { locale, dates } = drawing;
  const { time } = dates;
  const note = { size: 10, color: colors.soft, maxLines: 1 };
  const [first, second] = sessions;
  if (!first) return place.y;
  if (!second) {
    const y = write(drawing, dates.day.format(first.startsAt), place, { size: 11, bold: true });
    const doors = first.doorsOpenAt ? ` · ${words[locale].doors(time.format(first.doorsOpenAt))}` : '';
    return write(drawing, time.format(first.startsAt) + doors, { ...place, y: y + 1 }, note);
  }
  let { y } = place;
  for (const { name, startsAt } of sessions.slice(0, maxSessions)) {
    const text = `${dates.shortDay.format(startsAt)} · ${time.format(startsAt)} · ${name}`;
    y = write(drawing, text, { ...place, y }, { size: 10.5, bold: true, maxLines: 1 });
  }
  const hidden = sessions.length - maxSessions;
  return hidden > 0 ? write(drawing, words[locale].more(hidden), { ...place, y: y + 1 }, note) : y;
}

/** The code is as large as the stub allows. The paper around it is the white margin that scanners need. */
function drawStub(drawing: TicketDrawing, ticket: SheetTicket, x: number, width: number): void {
  const { doc, locale, sheet } = drawing;
  const top = 58;
  const centered = { color: colors.soft, align: 'center' } as const;
  write(drawing, `${words[locale].order} ${sheet.orderId}-${ticket.number}`, { x, y: 22, width }, { ...centered, size: 10, maxLines: 1 });
  const { size, runs } = qrRuns(ticket.code);
  doc
    .save()
    .translate(x, top)
    .scale(width / size);
  for (const run of runs) doc.rect(run.x, run.y, run.width, 1);
  // One path for the whole code: separate rows would have hairlines between them.
  doc.fill(colors.code).restore();
  if (ticket.shortCode !== null)
    write(drawing, ticket.shortCode, { x, y: top + width + 15, width }, { size: 12, bold: true, align: 'center', maxLines: 1 });
  write(drawing, words[locale].show, { x, y: top + width + 36, width }, { ...centered, size: 8.5, maxLines: 5 });
}
