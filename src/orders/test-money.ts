import { Problem } from '../kernel/problem.ts';

/** Adds `testMoney` to orders: whether this shop takes test money is configuration, not a part of the order. */
export function markTestMoney(testMoney: boolean) {
  const mark = <T extends object>(order: T) => ({ ...order, testMoney });
  const markAll = <T extends object>(outcomes: readonly (T | Problem)[]) =>
    outcomes.map((outcome) => (outcome instanceof Problem ? outcome : mark(outcome)));
  return { mark, markAll };
}
