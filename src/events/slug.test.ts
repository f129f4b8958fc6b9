import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { freeSlug, slugOf } from './slug.ts';

describe('the link of an event', () => {
  it.each([
    ['Noite de São João!', 'noite-de-sao-joao'],
    ['  Rock & Roll — 2026  ', 'rock-roll-2026'],
    ['2026', 'event-2026'],
    ['東京', 'event'],
    ['Ação/Reação', 'acao-reacao'],
  ])('%s → %s', (title, slug) => {
    expect(slugOf(title)).toBe(slug);
  });

  it('is a valid URL segment for any title, and never looks like an id', () => {
    const property = fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (title) => {
      expect(slugOf(title)).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
      expect(slugOf(title)).not.toMatch(/^\d+$/);
      expect(slugOf(title).length).toBeLessThanOrEqual(90);
    });
    fc.assert(property, { numRuns: 2_000 });
  });

  it('gets a number when another event has the same link', () => {
    expect(freeSlug('a', new Set())).toBe('a');
    expect(freeSlug('a', new Set(['a', 'a-2']))).toBe('a-3');
  });
});
