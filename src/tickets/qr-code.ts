import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Bitmap2D, correction, generate, mode } from 'lean-qr';
import { toPngBuffer } from 'lean-qr/extras/node_export';
import { toSvgSource } from 'lean-qr/extras/svg';

/** White modules on each side. Scanners need them to find the code. */
const pad = 4;
const pixelsPerModule = 8;

/** Without Latin-1: many scanners read bytes as UTF-8, whatever encoding the code declares. */
const modes = [mode.numeric, mode.alphaNumeric, mode.ascii, mode.utf8];

/** Level M can be read when 15 % of the code is damaged or covered. */
const encode = (text: string): Bitmap2D => generate(text, { minCorrectionLevel: correction.M, modes });

/** With a white background, so that it can be scanned on a dark page too. */
export const qrSvg = (text: string): string => toSvgSource(encode(text), { on: '#000', off: '#fff', pad, scale: pixelsPerModule });

export const qrPng = (text: string): Buffer =>
  Buffer.from(toPngBuffer(encode(text), { on: [0, 0, 0], off: [255, 255, 255], pad, scale: pixelsPerModule }));

/** One picture in each turn of the event loop, because a picture takes a few milliseconds. */
export async function qrPngs(texts: readonly string[]): Promise<Buffer[]> {
  const pictures: Buffer[] = [];
  for (const text of texts) {
    await nextTurn();
    pictures.push(qrPng(text));
  }
  return pictures;
}
