import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GuessWindow } from './guess-window.ts';

const at = (ms: number): Date => new Date(1_000_000 + ms);

describe('the window of misses', () => {
  it('lets so many through, then closes until its end, and opens anew', () => {
    const window = new GuessWindow({ most: 3, lengthMs: 10_000, keys: 10 });
    for (const ms of [0, 100, 200]) {
      expect(window.secondsClosed('a', at(ms))).toBe(0);
      window.countMiss('a', at(ms));
    }
    expect(window.secondsClosed('a', at(200))).toBe(9.8);
    expect(window.secondsClosed('b', at(200))).toBe(0);
    expect(window.secondsClosed('a', at(9_999))).toBe(0.001);
    expect(window.secondsClosed('a', at(10_000))).toBe(0);
    window.countMiss('a', at(10_000));
    expect(window.secondsClosed('a', at(10_000))).toBe(0);
  });

  it('remembers a bounded number of keys, and forgets the oldest first', () => {
    const window = new GuessWindow({ most: 1, lengthMs: 10_000, keys: 3 });
    for (const key of ['a', 'b', 'c', 'd']) window.countMiss(key, at(0));
    expect(['a', 'b', 'c', 'd'].map((key) => window.secondsClosed(key, at(0)) > 0)).toEqual([false, true, true, true]);
    expect(window.size).toBe(3);
    // One whose window has ended and begins again is the newest.
    window.countMiss('b', at(10_000));
    window.countMiss('e', at(10_000));
    expect(window.secondsClosed('b', at(10_000))).toBe(10);
  });

  it('never lets more misses through in one window than it says, whoever else misses meanwhile', () => {
    const steps = fc.array(fc.record({ key: fc.constantFrom('a', 'b', 'c'), wait: fc.nat(400) }), { maxLength: 200 });
    fc.assert(
      fc.property(steps, (all) => {
        const window = new GuessWindow({ most: 5, lengthMs: 1_000, keys: 3 });
        const through = new Map<string, number[]>();
        let now = 0;
        for (const { key, wait } of all) {
          now += wait;
          if (window.secondsClosed(key, at(now)) > 0) continue;
          window.countMiss(key, at(now));
          through.set(key, [...(through.get(key) ?? []), now]);
        }
        // Windows do not slide: at worst the end of one and the start of the next stand side by side.
        for (const times of through.values()) {
          for (const time of times) expect(times.filter((other) => other >= time && other < time + 1_000).length).toBeLessThanOrEqual(10);
        }
      }),
    );
  });
});
