import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Bitmap2D, correction, generate, mode } from 'lean-qr';
import { toPngBuffer } from 'lean-qr/extras/node_export';
import { toSvgPath, toSvgSource } from 'lean-qr/extras/svg';

/** The number of white modules on each side of the code. Scanners need this margin to find the code. */
const pad = 4;
const pixelsPerModule = 8;

/** The list does not include Latin-1, because many scanners read all bytes as UTF-8, even if the QR code declares another encoding. */
const modes = [mode.numeric, mode.alphaNumeric, mode.ascii, mode.utf8];

/** With correction level M, scanners can read the code even if 15 % of it is damaged or covered. */
const encode = (text: string): Bitmap2D => generate(text, { minCorrectionLevel: correction.M, modes });

/** The SVG has a white background, so that scanners can read it on a dark page too. */
export const qrSvg = (text: string): string => toSvgSource(encode(text), { on: '#000', off: '#fff', pad, scale: pixelsPerModule });

/** A QR code without its margin: the number of modules on each side, and the dark modules as the path of an SVG in which a module is 1 × 1. */
export interface QrPath {
  size: number;
  path: string;
}

export function qrPath(text: string): QrPath {
  const code = encode(text);
  return { size: code.size, path: toSvgPath(code) };
}

/** A dark part of a row of modules. */
interface DarkRun {
  x: number;
  y: number;
  width: number;
}

/** The dark modules of a QR code without its margin, row by row. */
export function qrRuns(text: string): { size: number; runs: DarkRun[] } {
  const code = encode(text);
  const runs: DarkRun[] = [];
  for (let y = 0; y < code.size; y++) {
    for (let x = 0; x < code.size; x++) {
      if (!code.get(x, y)) continue;
      const from = x;
      while (code.get(x + 1, y)) x++;
      runs.push({ x: from, y, width: x + 1 - from });
    }
  }
  return { size: code.size, runs };
}

export const qrPng = (text: string): Buffer =>
  Buffer.from(toPngBuffer(encode(text), { on: [0, 0, 0], off: [255, 255, 255], pad, scale: pixelsPerModule }));

/**
 * Draws one picture in each turn of the event loop. A picture takes a few milliseconds, so drawing many at once would block other requests.
 */
export async function qrPngs(texts: readonly string[]): Promise<Buffer[]> {
  const pictures: Buffer[] = [];
  for (const text of texts) {
    await nextTurn();
    pictures.push(qrPng(text));
  }
  return pictures;
}
