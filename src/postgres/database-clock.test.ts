import { describe, expect, it } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import { better, startDatabaseClock } from './database-clock.ts';

const world = useWorld();
const hour = 3_600_000;

describe('startDatabaseClock', () => {
  it('tells the time of the database, not of this machine', async () => {
    const clock = await startDatabaseClock(world.pool);
    const told = async () => Number((await world.pool.query('select extract(epoch from clock_timestamp()) * 1000 as ms')).rows[0].ms);
    const [before, now, after] = [await told(), clock.now().getTime(), await told()];
    clock.stop();
    // A round trip on a very busy machine takes less than a minute.
    expect(now).toBeGreaterThan(before - 60_000);
    expect(now).toBeLessThan(after + 60_000);
  });
});

describe('better', () => {
  const sample = { databaseMs: 1_000_000, monotonicMs: 0, errorMs: 5 };

  it.each([
    ['keeps a sample while a later one is less exact', { databaseMs: 1_010_003, monotonicMs: 10_000, errorMs: 50 }, 'known'],
    ['takes a later one that is as exact', { databaseMs: 1_010_003, monotonicMs: 10_000, errorMs: 5 }, 'new'],
    ['takes a less exact one once drift has made the known one worse', { databaseMs: 1_600_003, monotonicMs: 600_000, errorMs: 50 }, 'new'],
    ['takes one that contradicts it, however inexact', { databaseMs: 1_010_000 + hour, monotonicMs: 10_000, errorMs: 500 }, 'new'],
  ])('%s', (_title, later, expected) => {
    expect(better(sample, later)).toBe(expected === 'new' ? later : sample);
  });
});
