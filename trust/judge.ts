import { type Attempt, isNamed, type TryOptions } from './attempt.ts';
import type { Figure } from './figures.ts';

export interface Verdict {
  title: string;
  must: string;
  kept: boolean;
  /** The number of tests that try to break the promise. */
  tests: number;
  /** The number of tests that create a fault on purpose. */
  controls: number;
  /** Titles of tests that failed, and of controls that did not run. */
  failed: string[];
}

/**
 * A promise is kept if no test failed and every control ran. A test that passes proves nothing if it cannot fail. The controls show that it
 * can.
 */
export function judge({ title, must, controls }: Figure, attempts: readonly Attempt[], { quick }: TryOptions): Verdict {
  const due = controls.filter(({ onlyInFull }) => !(quick && onlyInFull));
  const controlsOf = (attempt: Attempt) => controls.filter(({ test }) => isNamed(attempt, test));
  const missing = due.filter(({ test }) => !attempts.some((attempt) => isNamed(attempt, test)));
  const failed = [
    ...attempts.filter(({ passed }) => !passed).map(({ blocks, title }) => [...blocks, title].join(' › ')),
    ...missing.map(({ test, fault }) => `${test}: the control did not run (fault: ${fault})`),
  ];
  const tests = attempts.filter((attempt) => controlsOf(attempt).every(({ isGuardToo }) => isGuardToo)).length;
  return {
    title,
    must,
    kept: failed.length === 0 && tests > 0,
    tests,
    controls: attempts.filter((attempt) => controlsOf(attempt).length > 0).length,
    failed,
  };
}
