import { describe, expect, it } from 'vitest';
import { drawMosaic } from './mosaic.ts';

const categories = ['music', 'festivals', 'theater', 'sports', 'conferences', 'comedy', 'food', 'a-category-of-your-own'];

/** The area of the grounds of all tiles, in tiles. Each ground is the first path of its group. */
const areaOf = (svg: string): number =>
  [...svg.matchAll(/<g transform="translate\([^"]*"><path fill="#\w+" d="M0 0h(\d+)v/g)].reduce(
    (sum, [, side]) => sum + ((Number(side) + 2) / 40) ** 2,
    0,
  );

describe('drawMosaic', () => {
  it('always draws the same mosaic for the same event, and another one for other events', () => {
    const drawings = categories.flatMap((category) => ['one', 'two', 'three'].map((seed) => drawMosaic({ seed, category })));
    expect(categories.flatMap((category) => ['one', 'two', 'three'].map((seed) => drawMosaic({ seed, category })))).toEqual(drawings);
    expect(new Set(drawings).size).toBe(drawings.length);
  });

  it('covers the whole area with tiles, in any size', () => {
    for (const [columns, rows] of [
      [8, 10],
      [20, 8],
      [3, 3],
      [2, 2],
    ] as const) {
      for (let seed = 0; seed < 20; seed++)
        expect(areaOf(drawMosaic({ seed: String(seed), category: 'food', columns, rows }))).toBe(columns * rows);
    }
  });

  it('draws small documents without text, ids, styles, scripts and links', () => {
    for (const category of categories) {
      const svg = drawMosaic({ seed: '"><script>alert(1)</script>', category });
      expect(svg.length).toBeLessThan(16_000);
      expect(svg).toMatch(
        /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"( (viewBox|width|height)="[\d ]+")+>(<(path|g|circle|rect)( [a-z-]+="[-#\w.,() ]*")*\/?>|<\/g>)+<\/svg>$/,
      );
      expect(svg).not.toContain(' id=');
    }
  });
});
