import { setImmediate as nextTurn } from 'node:timers/promises';
import { crc32, deflateSync } from 'node:zlib';
import { type Bitmap2D, correction, generate, mode } from 'lean-qr';

/** Modules of white on every side, without which readers do not find the code. */
const quietZone = 4;
const pixelsPerModule = 8;

/** Without Latin-1, as many readers take bytes for UTF-8 whatever the code says they are. */
const modes = [mode.numeric, mode.alphaNumeric, mode.ascii, mode.utf8];

/** Level M: read even if a seventh of it is scratched or covered. */
const encode = (text: string): Bitmap2D => generate(text, { minCorrectionLevel: correction.M, modes });

/** A drawing without a size of its own; the white is part of it, as a page may be dark. */
export function qrSvg(text: string): string {
  const code = encode(text);
  const width = code.size + 2 * quietZone;
  const lines = Array.from({ length: code.size }, (_, y) => `M0 ${y}.5${strokes(code, y)}`);
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-${quietZone} -${quietZone} ${width} ${width}" shape-rendering="crispEdges">` +
    `<rect x="-${quietZone}" y="-${quietZone}" width="${width}" height="${width}" fill="#fff"/>` +
    `<path stroke="#000" d="${lines.join('')}"/></svg>`
  );
}

/** The dark stretches of a row, each as a step over the white before it and a line. */
function strokes(code: Bitmap2D, y: number): string {
  let path = '';
  for (let x = 0, end = 0; x < code.size; x = end) {
    const dark = code.get(x, y);
    while (end < code.size && code.get(end, y) === dark) end++;
    path += dark ? `h${end - x}` : `m${end - x} 0`;
  }
  return path;
}

/** A picture of one bit a pixel. */
export function qrPng(text: string): Buffer {
  const code = encode(text);
  const width = (code.size + 2 * quietZone) * pixelsPerModule;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(width, 4);
  // One bit, greyscale; the usual compression and filters, not interlaced.
  header[8] = 1;
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', deflateSync(pixels(code))), chunk('IEND', Buffer.alloc(0))]);
}

/** One picture in each turn of the event loop, because a picture takes about a millisecond. */
export async function qrPngs(texts: readonly string[]): Promise<Buffer[]> {
  const pictures: Buffer[] = [];
  for (const text of texts) {
    await nextTurn();
    pictures.push(qrPng(text));
  }
  return pictures;
}

function chunk(type: string, data: Buffer): Buffer {
  const checked = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(checked.length + 8);
  framed.writeUInt32BE(data.length, 0);
  checked.copy(framed, 4);
  framed.writeUInt32BE(crc32(checked), framed.length - 4);
  return framed;
}

/** A module is a byte wide, as a pixel is a bit; each line begins with the filter it went through, which is none. */
function pixels(code: Bitmap2D): Buffer {
  const modules = Array.from({ length: code.size + 2 * quietZone }, (_, i) => i - quietZone);
  const rows = modules.map((y) => Buffer.from([0, ...modules.map((x) => (code.get(x, y) ? 0x00 : 0xff))]));
  return Buffer.concat(rows.flatMap((row) => Array.from({ length: pixelsPerModule }, () => row)));
}
