import fc from 'fast-check';
import { afterAll, beforeEach } from 'vitest';
import { violations, watchLockOrder } from './lock-order.ts';
import { testSeed } from './random.ts';
import { takeMissingEventKeys, watchEventKeys } from './watch-event-keys.ts';

fc.configureGlobal({ seed: testSeed });

beforeEach(({ onTestFailed }) => {
  onTestFailed(() => console.error(`To repeat this run: TEST_SEED=${testSeed}`));
});

watchLockOrder();
watchEventKeys();
afterAll(() => {
  if (violations.length > 0) throw new Error(`Transactions broke the lock order of docs/architecture/locks.md:\n${violations.join('\n')}`);
});
afterAll(async () => {
  const missing = await takeMissingEventKeys();
  if (missing.length > 0) throw new Error(`Statements use a table of an event without its event_id:\n${missing.join('\n')}`);
});
