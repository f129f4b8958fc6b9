import { retryLater } from '../kernel/problem.ts';

/** How many may wait for each one at work. */
const waitersPerPlace = 16;

/** Lets `places` run at once, the next ones wait in order, and beyond a bounded queue they are told to come back. */
export function limitAtOnce(places: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let busy = 0;
  return async (work) => {
    if (busy >= places) {
      if (waiting.length >= places * waitersPerPlace) throw retryLater('overloaded', 1, 'Too many of these at once; try again');
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else {
      busy++;
    }
    try {
      return await work();
    } finally {
      // The place goes straight to the next in line, so that nobody slips in between.
      const next = waiting.shift();
      if (next) next();
      else busy--;
    }
  };
}
