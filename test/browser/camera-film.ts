import { closeSync, openSync, writeSync } from 'node:fs';
import { generate } from 'lean-qr';

/** A QR code in the picture of the camera. */
interface FilmedCode {
  text: string;
  /** Which half of the picture shows the code. Default: the middle. */
  side?: 'left' | 'right';
  isUpsideDown?: boolean;
  /** Light on dark, as some phones show it. */
  isInverted?: boolean;
  /** A torn corner: the decoder finds a code that it cannot read. */
  isTorn?: boolean;
}

/** The codes in view, and for how many frames. No codes: an empty picture. */
export interface Scene {
  codes: FilmedCode[];
  frames: number;
}

const width = 640;
const height = 480;
const framesPerSecond = 10;
const [dark, light, wall] = [20, 235, 160];

/** Draws a code with its quiet zone into the luma of a frame. */
function draw(luma: Buffer, { text, side, isUpsideDown, isInverted, isTorn }: FilmedCode): void {
  const code = generate(text);
  const quiet = 4;
  const scale = Math.floor((side ? 300 : 440) / (code.size + 2 * quiet));
  const size = (code.size + 2 * quiet) * scale;
  const left = side === 'left' ? 10 : side === 'right' ? width - size - 10 : (width - size) >> 1;
  const top = (height - size) >> 1;
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const column = Math.floor((isUpsideDown ? size - 1 - x : x) / scale) - quiet;
      const row = Math.floor((isUpsideDown ? size - 1 - y : y) / scale) - quiet;
      const isInside = column >= 0 && row >= 0 && column < code.size && row < code.size;
      const isMissing = isTorn && column + row > code.size * 0.8;
      const isDark = isInside && !isMissing && code.get(column, row);
      luma[(top + y) * width + left + x] = isDark !== Boolean(isInverted) ? dark : light;
    }
  }
}

/** Writes a film for the fake camera of Chromium: uncompressed frames in the format Y4M. Chromium repeats the film without end. */
export function writeFilm(path: string, scenes: readonly Scene[]): void {
  const file = openSync(path, 'w');
  const grey = Buffer.alloc((width * height) / 2, 128);
  writeSync(file, `YUV4MPEG2 W${width} H${height} F${framesPerSecond}:1 Ip A1:1 C420jpeg\n`);
  for (const { codes, frames } of scenes) {
    const luma = Buffer.alloc(width * height, wall);
    for (const code of codes) draw(luma, code);
    for (let i = 0; i < frames; i++) writeSync(file, Buffer.concat([Buffer.from('FRAME\n'), luma, grey]));
  }
  closeSync(file);
}
