import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Edge, findCycle } from './trigger-cycle.ts';

const item = fc.integer({ min: 1, max: 12 });
const edges: fc.Arbitrary<Edge[]> = fc.array(fc.record({ from: item, to: item }), { maxLength: 30 });

/** A slow and simple reference: whether some item can reach itself. */
function reachesItself(all: readonly Edge[]): boolean {
  const reached = new Set(all.map(({ from, to }) => `${from} ${to}`));
  for (let grown = true; grown; ) {
    const before = reached.size;
    for (const { from, to } of all) for (const pair of reached) if (pair.endsWith(` ${from}`)) reached.add(`${pair.split(' ')[0]} ${to}`);
    grown = reached.size > before;
  }
  return [...reached].some((pair) => pair.split(' ')[0] === pair.split(' ')[1]);
}

describe('findCycle', () => {
  it('returns a cycle if and only if there is one', () => {
    const property = fc.property(edges, (all) => {
      const cycle = findCycle(all);
      expect(cycle !== null).toBe(reachesItself(all));
      for (const [i, from] of (cycle ?? []).entries()) {
        const to = cycle?.[(i + 1) % cycle.length];
        expect(all).toContainEqual({ from, to });
      }
    });
    fc.assert(property, { numRuns: 2_000 });
  });

  it('handles a chain of many thousand items', () => {
    const chain = Array.from({ length: 20_000 }, (_, i) => ({ from: i, to: i + 1 }));
    expect(findCycle(chain)).toBeNull();
    expect(findCycle([...chain, { from: 20_000, to: 0 }])).toHaveLength(20_001);
  });
});
