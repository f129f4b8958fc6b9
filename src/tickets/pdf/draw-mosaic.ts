import { drawMosaic as mosaicSvg } from '../../kernel/mosaic.ts';

type Document = PDFKit.PDFDocument;

export interface MosaicArea {
  x: number;
  y: number;
  width: number;
  height: number;
  columns: number;
}

/** Draws the mosaic of an event. The drawing is our own SVG, so only the few elements that it has are understood. */
export function drawMosaic(doc: Document, event: { link: string; category: string }, { x, y, width, height, columns }: MosaicArea): void {
  const rows = Math.round((height / width) * columns);
  const svg = mosaicSvg({ seed: event.link, category: event.category, columns, rows });
  const size = Number(/ width="(\d+)"/.exec(svg)?.[1]);
  doc.save();
  doc.translate(x, y).scale(width / size);
  for (const [, name = '', attributes = ''] of svg.matchAll(/<(\/?\w+)([^>]*)>/g)) drawElement(doc, name, readAttributes(attributes));
  doc.restore();
}

const readAttributes = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name, value]) => [name, value]));

function drawElement(doc: Document, name: string, attributes: Record<string, string>): void {
  const number = (key: string): number => Number(attributes[key] ?? 0);
  const { fill = '', stroke, d = '', transform = '' } = attributes;
  if (name === 'g') turn(doc.save(), transform);
  if (name === '/g') doc.restore();
  if (name === 'circle') doc.circle(number('cx'), number('cy'), number('r')).fill(fill);
  if (name === 'rect') doc.roundedRect(number('x'), number('y'), number('width'), number('height'), number('rx')).fill(fill);
  if (name === 'path' && stroke === undefined) doc.path(d).fill(fill);
  if (name === 'path' && stroke !== undefined) doc.lineCap('round').lineWidth(number('stroke-width')).path(d).stroke(stroke);
}

function turn(doc: Document, transform: string): void {
  for (const [, name, values = ''] of transform.matchAll(/(\w+)\(([^)]*)\)/g)) {
    const [a = 0, b = 0, c = 0] = values.split(' ').map(Number);
    if (name === 'translate') doc.translate(a, b);
    if (name === 'rotate') doc.rotate(a, { origin: [b, c] });
  }
}
