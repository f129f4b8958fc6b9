import fc from 'fast-check';
import { afterAll, beforeEach, expect } from 'vitest';
import { violations, watchLockOrder } from './lock-order.ts';
import { testSeed } from './random.ts';

fc.configureGlobal({ seed: testSeed });

beforeEach(({ onTestFailed }) => {
  onTestFailed(() => console.error(`To repeat this run: TEST_SEED=${testSeed}`));
});

watchLockOrder();
afterAll(() => {
  expect(violations, 'Transactions took locks against the order of docs/architecture/locks.md').toEqual([]);
});
