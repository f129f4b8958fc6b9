import { describe, expect, it } from 'vitest';
import { judgeMemory, type Sample } from '../soak/memory.ts';
import { Dice, testSeed } from './random.ts';

const seconds = 3_600;
const dice = new Dice(testSeed, 0);

/** A heap that grows until the garbage collector runs, every 20 seconds, with some noise. `level` is what the collector leaves. */
const samples = (level: (second: number) => number): Sample[] =>
  Array.from({ length: seconds }, (_, at) => ({ seconds: at, live: level(at) + (at % 20) + dice.below(40) / 10, resident: 200 }));

describe('the judge of memory in npm run soak', () => {
  it.each<[string, boolean, (second: number) => number]>([
    ['a constant level', true, () => 60],
    ['growth only during the warm-up', true, (at) => 60 + Math.min(at, seconds / 6) / 10],
    ['a level that moves up and down', true, (at) => 60 + 5 * Math.sin(at / 200)],
    ['one peak', true, (at) => (at > 1_800 && at < 1_900 ? 200 : 60)],
    ['a leak of 60 MiB an hour', false, (at) => 60 + at / 60],
    ['a leak in steps', false, (at) => 60 + 10 * Math.floor(at / 600)],
  ])('%s: flat is %s', (_case, flat, level) => {
    expect(judgeMemory(samples(level)).flat).toBe(flat);
  });

  it('memory that was never measured is not flat', () => {
    expect(judgeMemory([]).flat).toBe(false);
  });
});
