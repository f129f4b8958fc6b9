import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openPng, type Picture, scan } from '../../test/qr.ts';
import { randomTicketKey, signTicket } from '../../test/ticket-codes.ts';
import { qrPath, qrPng, qrPngs, qrRuns, qrSvg } from './qr-code.ts';

/** Draws the filled outlines of the SVG path, with four pixels per module. */
function paintSvg(svg: string): Picture {
  const [, from = '', side = ''] = /viewBox="(-\d+) \1 (\d+) \2"/.exec(svg) ?? [];
  const path = /<path d="([^"]*)" fill="#000">/.exec(svg)?.[1] ?? '';
  expect(path).toMatch(/^(M\d+ \d+(L\d+ \d+)+Z)+$/);
  const verticals = [...path.matchAll(/M([^Z]+)Z/g)].flatMap(([, outline = '']) => verticalEdges(outline));
  // The fill rule of SVG: a point is inside if the edges to its left do not cancel out.
  const isInside = (x: number, y: number) =>
    verticals.reduce((sum, edge) => sum + (edge.x <= x && edge.top <= y && y < edge.bottom ? edge.direction : 0), 0) !== 0;
  const size = Number(side);
  const modules = Array.from({ length: size * size }, (_, i) => isInside((i % size) + Number(from), Math.floor(i / size) + Number(from)));
  return { width: size * 4, isDark: (x, y) => modules[Math.floor(y / 4) * size + Math.floor(x / 4)] === true };
}

function verticalEdges(outline: string) {
  const points = outline.split('L').map((point) => point.split(' ').map(Number) as [number, number]);
  return points.flatMap(([x, y], i) => {
    const [nextX, nextY] = points[(i + 1) % points.length] ?? [x, y];
    expect(x === nextX || y === nextY).toBe(true);
    return y === nextY ? [] : [{ x, top: Math.min(y, nextY), bottom: Math.max(y, nextY), direction: Math.sign(nextY - y) }];
  });
}

const key = randomTicketKey(255);
const code = (id: number) => signTicket({ ...key, eventId: id }, id);

describe('the QR code of a ticket', () => {
  it('can be scanned from PNG and SVG, and has at most QR version 6, which any phone can read', async () => {
    for (const [text, version] of [
      [await code(1), 5],
      [await code(1_000_000), 5],
      [await code(Number.MAX_SAFE_INTEGER), 6],
    ] as const) {
      expect(scan(openPng(qrPng(text)))).toMatchObject({ data: text, version });
      expect(scan(paintSvg(qrSvg(text)))).toMatchObject({ data: text, version });
    }
  });

  it('can be scanned for any imported code', () => {
    const printable = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(printable, (text) => {
        expect(scan(openPng(qrPng(text)))?.data).toBe(text);
        expect(scan(paintSvg(qrSvg(text)))?.data).toBe(text);
      }),
      { numRuns: 30, examples: [['0'], ['0012345678901'], ['Æ-ção'], ['ВХОД-7'], ['入場券']] },
    );
  });

  it('has the same dark modules as a path and as runs', async () => {
    const text = await code(7);
    const { size, path } = qrPath(text);
    const { runs } = qrRuns(text);
    const dark = new Set(runs.flatMap(({ x, y, width }) => Array.from({ length: width }, (_, i) => `${x + i + 4},${y + 4}`)));
    const scale = 4;
    const isDark = (x: number, y: number) => dark.has(`${Math.floor(x / scale)},${Math.floor(y / scale)}`);
    expect(scan({ width: (size + 8) * scale, isDark })?.data).toBe(text);
    expect(qrSvg(text)).toContain(`d="${path}"`);
  });

  it('lets the event loop run before each picture of qrPngs', async () => {
    let turns = 0;
    const count = () => {
      turns++;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    const pictures = await qrPngs(Array.from({ length: 20 }, (_, i) => `code ${i}`));
    clearImmediate(next);
    expect(pictures).toHaveLength(20);
    expect(turns).toBeGreaterThanOrEqual(19);
  });

  it('has a white background and a quiet zone of four modules', async () => {
    const text = await code(1);
    const svg = qrSvg(text);
    expect(svg).toContain('<rect x="-4" y="-4" width="45" height="45" fill="#fff">');
    for (const { width, isDark } of [openPng(qrPng(text)), paintSvg(svg)]) {
      const quiet = (width / (37 + 8)) * 4;
      const isQuiet = (at: number) => at < quiet || at >= width - quiet;
      const places = Array.from({ length: width * width }, (_, i) => [i % width, Math.floor(i / width)] as const);
      expect(places.filter(([x, y]) => isDark(x, y) && (isQuiet(x) || isQuiet(y)))).toEqual([]);
      expect([isDark(quiet, quiet), isDark(width - quiet - 1, quiet), isDark(quiet, width - quiet - 1)]).toEqual([true, true, true]);
    }
  });

  it('contains the text only as a pattern, so that no text can inject markup', () => {
    expect(qrSvg('"/><script>alert(1)</script>')).toMatch(
      /^<svg [^<>]*><rect [^<>]*><\/rect><path d="[MLZ\d ]+" fill="#000"><\/path><\/svg>$/,
    );
  });
});
