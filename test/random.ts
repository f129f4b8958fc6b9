/** All randomness in tests comes from this seed. A failed test prints it; set `TEST_SEED` to repeat a run or to try another one. */
export const testSeed = Number(process.env.TEST_SEED ?? 1);

/**
 * Mulberry32. Things that happen concurrently take one generator each, with an index of their own: number 1234 of a seed is then the same
 * in whatever order they run.
 */
export class Dice {
  #state: number;

  constructor(seed: number, index: number) {
    this.#state = Math.imul(seed, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b);
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  below(n: number): number {
    return Math.floor(this.next() * n);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }
}
