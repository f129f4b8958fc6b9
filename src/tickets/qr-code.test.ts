import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openPng, type Picture, scan } from '../../test/qr.ts';
import { qrPng, qrPngs, qrSvg } from './qr-code.ts';
import { signTicket } from './ticket-code.ts';

/** Paints the strokes of the path, four pixels to a unit. */
function paintSvg(svg: string): Picture {
  const [, from = '', side = ''] = /viewBox="(-\d+) \1 (\d+) \2"/.exec(svg) ?? [];
  const path = /<path stroke="#000" d="([^"]*)"\/>/.exec(svg)?.[1] ?? '';
  expect(path).toMatch(/^(M0 \d+\.5(m\d+ 0|h\d+)+)+$/);
  const dark = new Set<string>();
  for (const [, y, row = ''] of path.matchAll(/M0 (\d+)\.5([^M]+)/g)) {
    let x = 0;
    for (const [, step, length = '0'] of row.matchAll(/([mh])(\d+)/g)) {
      for (const end = x + Number(length); x < end; x++) if (step === 'h') dark.add(`${x} ${y}`);
    }
  }
  const unit = (pixel: number) => Math.floor(pixel / 4) + Number(from);
  return { width: Number(side) * 4, isDark: (x, y) => dark.has(`${unit(x)} ${unit(y)}`) };
}

const pair = generateKeyPairSync('ed25519');
const code = (id: number) => signTicket({ eventId: id, kid: 255, ...pair }, { eventId: id, ticketId: id });

describe('the QR code of a ticket', () => {
  it('is read from the PNG and from the SVG, and is coarse enough for any phone', () => {
    for (const [text, version] of [
      [code(1), 5],
      [code(1_000_000), 5],
      [code(Number.MAX_SAFE_INTEGER), 6],
    ] as const) {
      expect(scan(openPng(qrPng(text)))).toMatchObject({ data: text, version });
      expect(scan(paintSvg(qrSvg(text)))).toMatchObject({ data: text, version });
    }
  });

  it('is read of any code from elsewhere', () => {
    const printable = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(printable, (text) => {
        expect(scan(openPng(qrPng(text)))?.data).toBe(text);
        expect(scan(paintSvg(qrSvg(text)))?.data).toBe(text);
      }),
      { numRuns: 30, examples: [['0'], ['0012345678901'], ['Æ-ção'], ['ВХОД-7'], ['入場券']] },
    );
  });

  it('leaves a turn of the event loop to others before each picture', async () => {
    let turns = 0;
    const count = () => {
      turns++;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    const pictures = await qrPngs(Array.from({ length: 20 }, (_, i) => code(i + 1)));
    clearImmediate(next);
    expect(pictures).toHaveLength(20);
    expect(turns).toBeGreaterThanOrEqual(19);
  });

  it('has four modules of white around it, on a page of any colour', () => {
    const svg = qrSvg(code(1));
    expect(svg).toContain('<rect x="-4" y="-4" width="45" height="45" fill="#fff"/>');
    for (const { width, isDark } of [openPng(qrPng(code(1))), paintSvg(svg)]) {
      const quiet = (width / (37 + 8)) * 4;
      const isQuiet = (at: number) => at < quiet || at >= width - quiet;
      const places = Array.from({ length: width * width }, (_, i) => [i % width, Math.floor(i / width)] as const);
      expect(places.filter(([x, y]) => isDark(x, y) && (isQuiet(x) || isQuiet(y)))).toEqual([]);
      expect([isDark(quiet, quiet), isDark(width - quiet - 1, quiet), isDark(quiet, width - quiet - 1)]).toEqual([true, true, true]);
    }
  });

  it('says nothing of the text but in its pattern, so that no text can break out of the drawing', () => {
    expect(qrSvg('"/><script>alert(1)</script>')).toMatch(/^<svg [^<>]*><rect [^<>]*\/><path stroke="#000" d="[Mmh\d. ]+"\/><\/svg>$/);
  });
});
