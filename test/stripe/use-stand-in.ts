import { afterAll, afterEach, beforeAll } from 'vitest';
import { type StandIn, type StandInOptions, startStandIn } from './stand-in.ts';

/** Starts a stand-in for the tests of a file. Faults end with the test that added them. */
export function useStandIn(options: StandInOptions = {}): StandIn {
  const standIn = {} as StandIn;
  beforeAll(async () => {
    Object.assign(standIn, await startStandIn(options));
  });
  afterEach(() => standIn.clearFaults());
  afterAll(() => standIn.close());
  return standIn;
}
