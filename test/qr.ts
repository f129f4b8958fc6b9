import { crc32, inflateSync } from 'node:zlib';
import jsqr from 'jsqr';
import { expect } from 'vitest';

/** A square picture with dark and light pixels. */
export interface Picture {
  width: number;
  isDark(x: number, y: number): boolean;
}

export function scan({ width, isDark }: Picture): { data: string; version: number } | null {
  const rgba = new Uint8ClampedArray(width * width * 4).fill(255);
  for (let y = 0; y < width; y++)
    for (let x = 0; x < width; x++) if (isDark(x, y)) rgba.fill(0, (y * width + x) * 4, (y * width + x) * 4 + 3);
  return jsqr.default(rgba, width, width, { inversionAttempts: 'dontInvert' });
}

/** Reads a PNG with a palette of white and black and without filters, and checks its checksums. */
export function openPng(png: Buffer): Picture {
  expect(png.subarray(0, 8).toString('hex')).toBe('89504e470d0a1a0a');
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at < png.length; ) {
    const end = at + 8 + png.readUInt32BE(at);
    expect(png.readUInt32BE(end)).toBe(crc32(png.subarray(at + 4, end)));
    chunks.set(png.toString('latin1', at + 4, at + 8), png.subarray(at + 8, end));
    at = end + 4;
  }
  expect([...chunks.keys()]).toEqual(['IHDR', 'PLTE', 'IDAT', 'IEND']);
  expect(chunks.get('PLTE')?.toString('hex')).toBe('ffffff000000');
  const header = chunks.get('IHDR') ?? Buffer.alloc(0);
  const width = header.readUInt32BE(0);
  expect([header.length, header.readUInt32BE(4), ...header.subarray(8)]).toEqual([13, width, 1, 3, 0, 0, 0]);
  const lines = inflateSync(chunks.get('IDAT') ?? Buffer.alloc(0));
  const stride = 1 + Math.ceil(width / 8);
  expect(lines.length).toBe(stride * width);
  for (let y = 0; y < width; y++) expect(lines[y * stride]).toBe(0);
  return { width, isDark: (x, y) => (((lines[y * stride + 1 + (x >> 3)] ?? 0) >> (7 - (x & 7))) & 1) === 1 };
}
