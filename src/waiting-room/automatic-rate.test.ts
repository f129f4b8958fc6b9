import { describe, expect, it } from 'vitest';
import { isWorthwhile, loadOf, nextRate } from './automatic-rate.ts';

const quiet = { eventLoopDelayMs: 5, batchWaitMs: 2, databaseMs: 3, orders: 0, busyMs: 0, elapsedMs: 5_000 };

describe('loadOf', () => {
  it('reports the most urgent of event loop delay, batch wait and database latency', () => {
    expect(loadOf(quiet)).toEqual({ pressure: 0.025, capacity: null });
    expect(loadOf({ ...quiet, eventLoopDelayMs: 200 }).pressure).toBe(1);
    expect(loadOf({ ...quiet, batchWaitMs: 800 }).pressure).toBe(2);
    expect(loadOf({ ...quiet, databaseMs: 100 }).pressure).toBe(0.5);
  });

  it('measures the capacity as orders per minute of open batches, if batches were open most of the time', () => {
    expect(loadOf({ ...quiet, orders: 500, busyMs: 2_500 }).capacity).toBe(12_000);
    expect(loadOf({ ...quiet, orders: 5, busyMs: 250 }).capacity).toBe(null);
  });
});

describe('nextRate', () => {
  it('grows by at most half while the processes are idle, by a quarter while they have work, and up to 75 % of their capacity together', () => {
    expect(nextRate(400, [{ pressure: 0.1, capacity: null }])).toBe(600);
    expect(nextRate(400, [{ pressure: 0.5, capacity: null }])).toBe(500);
    const idle = { pressure: 0.1, capacity: 400 };
    expect(nextRate(400, [idle])).toBe(300);
    expect(nextRate(400, [idle, idle])).toBe(600);
  });

  it('shrinks when one process is above 75 %, at most by half, and never stops', () => {
    const idle = { pressure: 0.1, capacity: null };
    expect(nextRate(400, [idle, { pressure: 1, capacity: null }])).toBe(300);
    expect(nextRate(400, [idle, { pressure: 10, capacity: null }])).toBe(200);
    expect(nextRate(40, [{ pressure: 10, capacity: null }])).toBe(30);
  });

  it('comes to rest where the pressure is 75 %', () => {
    let rate = 100;
    for (let i = 0; i < 50; i++) rate = nextRate(rate, [{ pressure: rate / 2_000, capacity: null }]);
    expect(rate).toBe(1_500);
    expect(isWorthwhile(1_500, 1_510)).toBe(false);
    expect(isWorthwhile(1_500, 1_600)).toBe(true);
  });
});
