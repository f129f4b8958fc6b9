import { describe, expect, it } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import { moreAccurate, startDatabaseClock } from './database-clock.ts';

const world = useWorld();
const hour = 3_600_000;

describe('startDatabaseClock', () => {
  it('returns the time of the database', async () => {
    const clock = await startDatabaseClock(world.pool);
    const databaseTime = async () =>
      Number((await world.pool.query('select extract(epoch from clock_timestamp()) * 1000 as ms')).rows[0].ms);
    const [before, now, after] = [await databaseTime(), clock.now().getTime(), await databaseTime()];
    clock.stop();
    // Even on a very busy machine a round trip takes less than a minute.
    expect(now).toBeGreaterThan(before - 60_000);
    expect(now).toBeLessThan(after + 60_000);
  });
});

describe('moreAccurate', () => {
  const sample = { databaseMs: 1_000_000, monotonicMs: 0, errorMs: 5 };

  it.each([
    ['returns the known sample while a later one is less exact', { databaseMs: 1_010_003, monotonicMs: 10_000, errorMs: 50 }, 'known'],
    ['returns a later sample that is as exact', { databaseMs: 1_010_003, monotonicMs: 10_000, errorMs: 5 }, 'new'],
    [
      'returns a less exact sample when drift has made the known one worse',
      { databaseMs: 1_600_003, monotonicMs: 600_000, errorMs: 50 },
      'new',
    ],
    [
      'returns a later sample that contradicts the known one, even if it is less exact',
      { databaseMs: 1_010_000 + hour, monotonicMs: 10_000, errorMs: 500 },
      'new',
    ],
  ])('%s', (_title, later, expected) => {
    expect(moreAccurate(sample, later)).toBe(expected === 'new' ? later : sample);
  });
});
