export interface WindowOptions {
  /** So many misses of one key within `lengthMs` are let through. */
  most: number;
  lengthMs: number;
  /** How many keys are remembered; beyond it the one that has been there longest is forgotten. */
  keys: number;
}

interface Misses {
  count: number;
  endsAt: number;
}

/** Counts misses by key. It lives in the process and forgets by itself; what time it is, the caller says. */
export class GuessWindow {
  readonly #options: WindowOptions;
  readonly #misses = new Map<string, Misses>();

  constructor(options: WindowOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#misses.size;
  }

  /** For how long the key has no more tries; 0 when it has. */
  secondsClosed(key: string, at: Date): number {
    const known = this.#current(key, at);
    return known && known.count >= this.#options.most ? (known.endsAt - at.getTime()) / 1000 : 0;
  }

  countMiss(key: string, at: Date): void {
    const known = this.#current(key, at);
    if (known) known.count++;
    else this.#open(key, at);
  }

  #current(key: string, at: Date): Misses | undefined {
    const known = this.#misses.get(key);
    return known && known.endsAt > at.getTime() ? known : undefined;
  }

  #open(key: string, at: Date): void {
    // A map keeps the order in which keys came: taken out and put in again, this one is the newest.
    this.#misses.delete(key);
    const oldest = this.#misses.size >= this.#options.keys ? this.#misses.keys().next().value : undefined;
    if (oldest !== undefined) this.#misses.delete(oldest);
    this.#misses.set(key, { count: 1, endsAt: at.getTime() + this.#options.lengthMs });
  }
}
