import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

type Rgb = readonly [number, number, number];

const css = readFileSync(new URL('./tokens.css', import.meta.url), 'utf8');

/** The colours of tokens.css, each in the light and the dark version. */
const tokens = new Map(
  [...css.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)].map(([, name = '', light = '', dark = '']) => [
    name,
    { light, dark },
  ]),
);

const rgb = (hex: string): Rgb => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255) as unknown as Rgb;

/** The relative luminance of WCAG 2. */
const luminance = (hex: string): number => {
  const [r, g, b] = rgb(hex).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)) as unknown as Rgb;
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};

function contrast(a: string, b: string): number {
  const [low = 0, high = 0] = [luminance(a), luminance(b)].toSorted((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

function contrastOf(front: string, back: string, scheme: 'light' | 'dark'): number {
  const [a, b] = [tokens.get(front), tokens.get(back)];
  if (!a || !b) throw new Error(`There is no colour ${front} or ${back}`);
  return contrast(a[scheme], b[scheme]);
}

/** Each pair of text and background that components use. */
const textPairs = [
  ...['background', 'surface', 'raised'].flatMap((back) => ['ink', 'ink-soft', 'brand', 'warn', 'bad', 'ok'].map((front) => [front, back])),
  ['on-brand', 'brand'],
  ['on-brand', 'brand-strong'],
  ['brand-strong', 'brand-soft'],
  ...['ok', 'warn', 'bad', 'brand'].map((tone) => ['ink', `${tone}-soft`]),
  ['ink-soft', 'brand-soft'],
  ['ok', 'ok-soft'],
  ['warn', 'warn-soft'],
  ['bad', 'bad-soft'],
] as [string, string][];

describe.each(['light', 'dark'] as const)('%s colours', (scheme) => {
  it.each(textPairs)('%s on %s has a contrast of at least 4.5', (front, back) => {
    expect(contrastOf(front, back, scheme)).toBeGreaterThanOrEqual(4.5);
  });

  it.each([
    ['control-line', 'background'],
    ['control-line', 'raised'],
    ['control-line', 'surface'],
    ['brand', 'background'],
  ] as [string, string][])('the border %s on %s has a contrast of at least 3', (front, back) => {
    expect(contrastOf(front, back, scheme)).toBeGreaterThanOrEqual(3);
  });
});

it('control: grey on white has too little contrast', () => {
  expect(contrast('#767676', '#ffffff')).toBeGreaterThanOrEqual(4.5);
  expect(contrast('#777777', '#ffffff')).toBeLessThan(4.5);
});
