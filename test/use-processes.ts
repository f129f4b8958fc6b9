import { afterAll, afterEach, beforeAll, vi } from 'vitest';
import { createPlace, type Ended, type Place, type PlaceOptions } from './process.ts';

type NewPlace = (options?: PlaceOptions) => Place;

/** Creates places. After each test, or after all, their processes are killed and their folders removed, even if a test failed. */
export function usePlaces(after: (work: () => Promise<void>) => void): NewPlace {
  const removals: (() => Promise<void>)[] = [];
  after(async () => {
    for (const remove of removals.splice(0)) await remove();
  });
  return (options = {}) => {
    const { place, remove } = createPlace(options);
    removals.push(remove);
    return place;
  };
}

interface Places {
  newPlace: NewPlace;
  /** Has the demo data; nothing runs on it. */
  fixture: Place;
  /** A copy of the fixture. Most tests start from one, because copying is faster than creating a database. */
  filledPlace: () => Place;
  /** How the command that created the demo data ended. */
  loaded: () => Ended | undefined;
}

/** For the top of a test file. */
export function useProcesses(): Places {
  // Processes start slowly on a busy machine.
  vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });
  const newPlace = usePlaces(afterEach);
  const fixture = usePlaces(afterAll)();
  let loaded: Ended | undefined;
  beforeAll(async () => {
    loaded = await fixture.run(['demo']);
  });
  return { newPlace, fixture, filledPlace: () => newPlace({ like: fixture }), loaded: () => loaded };
}
