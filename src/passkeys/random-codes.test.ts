import { describe, expect, it } from 'vitest';
import { randomCodes } from './random-codes.ts';

describe('randomCodes', () => {
  it('uses each letter of the alphabet equally often', () => {
    const codes = randomCodes(40_000);
    const counts = new Map<string, number>();
    for (const letter of codes.join('')) counts.set(letter, (counts.get(letter) ?? 0) + 1);
    const expected = (40_000 * 12) / 25;
    expect(counts.size).toBe(25);
    // The tolerance is six standard deviations. If large bytes were not skipped, the first six letters would be 7 % too frequent.
    for (const count of counts.values()) expect(Math.abs(count - expected)).toBeLessThan(6 * Math.sqrt(expected));
    expect(new Set(codes).size).toBe(40_000);
  });
});
