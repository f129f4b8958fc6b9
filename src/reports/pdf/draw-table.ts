import { drawableText, type Fonts } from '../../tickets/pdf/fonts.ts';

/** A page of A4 across, in points. */
export const page = { width: 841.89, height: 595.28, margin: 40, bottom: 46 };
export const colors = { ink: '#16181d', soft: '#565a66', line: '#d9d6e3', head: '#f3f1f9', brand: '#5b2be0' };

const rowHeight = 17;
const textSize = 8.5;

export interface Sheet {
  doc: PDFKit.PDFDocument;
  fonts: Fonts;
  /** The place where the next part begins. */
  y: number;
}

export interface Column {
  label: string;
  width: number;
  align?: 'right';
}

export interface TableContent {
  title: string;
  columns: readonly Column[];
  rows: readonly (readonly string[])[];
  totals?: readonly string[];
}

/** Begins a new page if this much space is not left. */
export function makeRoom(sheet: Sheet, height: number): boolean {
  if (sheet.y + height <= page.height - page.bottom) return false;
  sheet.doc.addPage();
  sheet.y = page.margin;
  return true;
}

/** A table that repeats its head on every page. Its title is never alone at the end of a page. */
export function drawTable(sheet: Sheet, { title, columns, rows, totals }: TableContent): void {
  makeRoom(sheet, 24 + 3 * rowHeight);
  write(sheet, title, { x: page.margin, width: page.width - 2 * page.margin, size: 11.5, bold: true });
  sheet.y += 20;
  drawHead(sheet, columns);
  for (const row of rows) {
    if (makeRoom(sheet, rowHeight)) drawHead(sheet, columns);
    drawRow(sheet, columns, row, false);
  }
  if (totals) {
    if (makeRoom(sheet, rowHeight)) drawHead(sheet, columns);
    drawRow(sheet, columns, totals, true);
  }
  sheet.y += 14;
}

const widthOf = (columns: readonly Column[]): number => columns.reduce((sum, { width }) => sum + width, 0);

function drawHead(sheet: Sheet, columns: readonly Column[]): void {
  sheet.doc.rect(page.margin, sheet.y, widthOf(columns), rowHeight).fill(colors.head);
  cells(
    sheet,
    columns,
    columns.map(({ label }) => label),
    { bold: true, color: colors.soft },
  );
  sheet.y += rowHeight;
}

function drawRow(sheet: Sheet, columns: readonly Column[], row: readonly string[], bold: boolean): void {
  cells(sheet, columns, row, { bold, color: colors.ink });
  sheet.y += rowHeight;
  sheet.doc
    .lineWidth(0.5)
    .moveTo(page.margin, sheet.y)
    .lineTo(page.margin + widthOf(columns), sheet.y)
    .stroke(colors.line);
}

function cells(sheet: Sheet, columns: readonly Column[], texts: readonly string[], style: { bold: boolean; color: string }): void {
  let x = page.margin;
  for (const [i, { width, align }] of columns.entries()) {
    write(sheet, texts[i] ?? '', { x: x + 4, width: width - 8, size: textSize, down: 4.5, ...style, ...(align && { align }) });
    x += width;
  }
}

export interface TextPlace {
  x: number;
  width: number;
  size: number;
  bold?: boolean;
  color?: string;
  align?: 'right';
  /** How far below `y` the text begins. */
  down?: number;
}

/** Writes one line. A line that is too long ends with an ellipsis. */
export function write(
  { doc, fonts, y }: Sheet,
  text: string,
  { x, width, size, bold = false, color = colors.ink, align, down = 0 }: TextPlace,
): void {
  const name = bold ? 'bold' : 'regular';
  doc.font(name).fontSize(size).fillColor(color);
  doc.text(drawableText(fonts[name], text), x, y + down, {
    width,
    height: size * 1.3,
    ellipsis: '…',
    lineBreak: true,
    ...(align && { align }),
  });
}
