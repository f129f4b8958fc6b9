import { expect, it } from 'vitest';
import { waitAfter } from './notice-retries.ts';

it('waitAfter doubles the wait up to one hour and gives up after more than 24 hours', () => {
  const waits = Array.from({ length: 100 }, (_, i) => waitAfter(i + 1));
  const kept = waits.slice(0, waits.indexOf(null)) as number[];
  expect(kept.slice(0, 3)).toEqual([5_000, 10_000, 20_000]);
  expect(Math.max(...kept)).toBe(60 * 60_000);
  const total = kept.reduce((sum, ms) => sum + ms, 0);
  expect(total).toBeGreaterThanOrEqual(24 * 60 * 60_000);
  expect(total).toBeLessThan(26 * 60 * 60_000);
  expect(waits.slice(kept.length).every((wait) => wait === null)).toBe(true);
});
