/** The seed of all randomness in tests. A failed test prints it. Set `TEST_SEED` to repeat that run or to try another seed. */
export const testSeed = Number(process.env.TEST_SEED ?? 1);

/**
 * The random generator Mulberry32. Each concurrent task has its own generator with the index of the task. So a task gets the same numbers for
 * the same seed in any order of execution.
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
