import { createHash } from 'node:crypto';
import type { Locale } from '../../kernel/locale.ts';
import type { GeneratedFile } from '../../kernel/route.ts';
import { drawableText, openFonts } from '../../tickets/pdf/fonts.ts';
import type { Bordero, Figures } from '../contract.ts';
import { type BorderoWords, words } from './bordero-words.ts';
import { type Column, colors, drawTable, makeRoom, page, type Sheet, write } from './draw-table.ts';

/** Change this when the drawing changes, so that clients get the new file. */
const design = 1;

/** The bordero as a PDF. It is drawn when it is sent, after the transaction. The same sales give the same tag. */
export function borderoPdf(report: Bordero, locale: Locale): GeneratedFile {
  const tag = createHash('sha1')
    .update(JSON.stringify([design, locale, report.hash]))
    .digest('base64url');
  return { content: () => drawPdf(report, locale), name: `bordero-${report.event.link}.pdf`, mediaType: 'application/pdf', tag };
}

async function drawPdf(report: Bordero, locale: Locale): Promise<Buffer> {
  // Loaded when it is needed: many processes never draw a PDF.
  const [{ default: PdfDocument }, fonts] = await Promise.all([import('pdfkit'), openFonts()]);
  const say = words[locale];
  const title = `${say.title} · ${drawableText(fonts.bold, report.event.title)}`;
  const info = { Title: title, Author: 'Tessera', Creator: 'Tessera', Producer: 'Tessera', CreationDate: new Date(report.generatedAt) };
  const options = {
    size: 'A4',
    layout: 'landscape',
    margin: 0,
    font: '',
    info,
    lang: locale,
    displayTitle: true,
    bufferPages: true,
  } as const;
  const doc = new PdfDocument(options);
  // The types allow only files of fonts, not fonts that are open already.
  for (const [name, font] of Object.entries(fonts)) doc.registerFont(name, font as never);
  const chunks: Buffer[] = [];
  doc.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise((resolve, reject) => doc.once('end', resolve).once('error', reject));
  const sheet: Sheet = { doc, fonts, y: page.margin };
  drawReport(sheet, report, formatsOf(locale, report), say);
  drawFooters(sheet, report, say);
  doc.end();
  await ended;
  return Buffer.concat(chunks);
}

interface Formats {
  money(cents: number): string;
  count(n: number | null): string;
  percent(n: number): string;
  moment(text: string): string;
  wallClock(text: string): string;
}

function formatsOf(locale: Locale, { currency, event: { timezone: timeZone } }: Bordero): Formats {
  const amount = new Intl.NumberFormat(locale, { style: 'currency', currency });
  const digits = 10 ** (amount.resolvedOptions().maximumFractionDigits ?? 2);
  const whole = new Intl.NumberFormat(locale);
  const share = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 });
  const style = { dateStyle: 'short', timeStyle: 'short' } as const;
  const atEvent = new Intl.DateTimeFormat(locale, { ...style, timeZone });
  const asWritten = new Intl.DateTimeFormat(locale, { ...style, timeZone: 'UTC' });
  return {
    money: (cents) => amount.format(cents / digits),
    percent: (n) => share.format(n / 100),
    count: (n) => (n === null ? '–' : whole.format(n)),
    moment: (text) => atEvent.format(new Date(text)),
    wallClock: (text) => asWritten.format(new Date(`${text.replace(' ', 'T')}Z`)),
  };
}

const inner = page.width - 2 * page.margin;

function drawReport(sheet: Sheet, report: Bordero, format: Formats, say: BorderoWords): void {
  drawHeading(sheet, report, format, say);
  for (const session of report.sessions) {
    const when = session.start && format.wallClock(session.start);
    drawTable(sheet, {
      title: [session.name ?? say.severalSessions, when].filter(Boolean).join(' · '),
      columns: itemColumns(say),
      rows: session.items.map((row) => [row.name, format.money(row.price), format.count(row.offered), ...figureTexts(row, format)]),
      totals: [say.total, '', format.count(session.totals.offered), ...figureTexts(session.totals, format)],
    });
  }
  drawTable(sheet, {
    title: say.wholeEvent,
    columns: itemColumns(say),
    rows: [],
    totals: [say.total, '', format.count(report.totals.offered), ...figureTexts(report.totals, format)],
  });
  const { sold, percent } = report.halfPrice;
  if (sold > 0) drawLine(sheet, say.halfPrice(format.count(sold), format.percent(percent)));
  drawGroups(sheet, report, format, say);
}

function drawHeading(sheet: Sheet, { event, producer, period, generatedAt }: Bordero, format: Formats, say: BorderoWords): void {
  const line = (text: string, size: number, more: { bold?: boolean; color?: string } = {}) => {
    write(sheet, text, { x: page.margin, width: inner, size, ...more });
    sheet.y += size * 1.45;
  };
  line(say.title, 10, { bold: true, color: colors.brand });
  line(event.title, 20, { bold: true });
  const dates = [period.start, period.finish].flatMap((text) => (text ? [format.wallClock(text)] : [])).join(' – ');
  line([producer.name, dates].filter(Boolean).join(' · '), 10, { color: colors.soft });
  const sale = period.firstSale && period.lastSale ? say.sale(format.moment(period.firstSale), format.moment(period.lastSale)) : '';
  line([sale, say.generated(format.moment(generatedAt))].filter(Boolean).join(' · '), 10, { color: colors.soft });
  sheet.y += 12;
}

function drawLine(sheet: Sheet, text: string): void {
  makeRoom(sheet, 20);
  write(sheet, text, { x: page.margin, width: inner, size: 9, color: colors.soft });
  sheet.y += 22;
}

/** The figures by channel and by payment method, and what the payments have cost. */
function drawGroups(sheet: Sheet, { channels, payments, providerFees }: Bordero, format: Formats, say: BorderoWords): void {
  const columns = [{ label: '', width: 239 }, ...figureColumns(say)];
  if (channels.length > 0) {
    const rows = channels.map((row) => [
      say.channelNames[row.appCategoryId] ?? say.channel(row.appCategoryId),
      ...figureTexts(row, format),
    ]);
    drawTable(sheet, { title: say.channels, columns, rows });
  }
  if (payments.length > 0) {
    const rows = payments.map((row) => [say.methods[row.method] ?? row.method, ...figureTexts(row, format)]);
    drawTable(sheet, { title: say.payments, columns, rows });
  }
  if (!providerFees || providerFees.length === 0) return;
  drawTable(sheet, {
    title: say.costs,
    columns: [{ label: '', width: 239 }, right(say.fee, 140), right(say.disputeFee, 140), right(say.disputed, 140)],
    rows: providerFees.map((row) => [say.methods[row.method] ?? row.method, ...[row.fee, row.disputeFee, row.disputed].map(format.money)]),
  });
  drawLine(sheet, say.costsNote);
}

const right = (label: string, width: number): Column => ({ label, width, align: 'right' });

const figureColumns = (say: BorderoWords): Column[] => [
  right(say.sold, 56),
  right(say.courtesy, 60),
  right(say.refunded, 76),
  right(say.gross, 74),
  right(say.feeSale, 96),
  right(say.feeProducer, 86),
  right(say.net, 74),
];

const itemColumns = (say: BorderoWords): Column[] => [
  { label: say.item, width: 122 },
  right(say.price, 62),
  right(say.offered, 55),
  ...figureColumns(say),
];

const figureTexts = ({ sold, courtesy, refunded, gross, feeSale, feeProducer, net }: Figures, { count, money }: Formats): string[] => [
  ...[sold, courtesy, refunded].map(count),
  ...[gross, feeSale, feeProducer, net].map(money),
];

/** The hash and the number of the page, on every page. */
function drawFooters(sheet: Sheet, { hash }: Bordero, say: BorderoWords): void {
  const { start, count } = sheet.doc.bufferedPageRange();
  sheet.y = page.height - 30;
  for (let i = 0; i < count; i++) {
    sheet.doc.switchToPage(start + i);
    const style = { size: 7.5, color: colors.soft };
    write(sheet, `${say.hash}: ${hash}`, { x: page.margin, width: inner - 90, ...style });
    write(sheet, say.page(i + 1, count), { x: page.width - page.margin - 90, width: 90, align: 'right', ...style });
  }
}
