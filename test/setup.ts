import fc from 'fast-check';
import { beforeEach } from 'vitest';
import { testSeed } from './random.ts';

fc.configureGlobal({ seed: testSeed });

beforeEach(({ onTestFailed }) => {
  onTestFailed(() => console.error(`To repeat this run: TEST_SEED=${testSeed}`));
});
