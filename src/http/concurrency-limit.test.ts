import { describe, expect, it } from 'vitest';
import { limitConcurrency } from './concurrency-limit.ts';

/** Work that ends when the test calls the functions in `open`. */
function gate() {
  const open: (() => void)[] = [];
  const work = () => new Promise<void>((resolve) => open.push(resolve));
  return { open, work };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('limitConcurrency', () => {
  it('runs at most the allowed number of requests at once, and starts waiting requests in order of arrival', async () => {
    const limit = limitConcurrency(2);
    const { open, work } = gate();
    const done: number[] = [];
    const all = Array.from({ length: 6 }, (_, i) => limit([`user ${i}`], work).then(() => done.push(i)));
    for (let released = 0; released < 6; released++) {
      await settle();
      expect(open.length - released).toBeLessThanOrEqual(2);
      open[released]?.();
    }
    await Promise.all(all);
    expect(done).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('refuses with overloaded when the queue is full, and a failed request frees its place', async () => {
    const limit = limitConcurrency(1);
    const { open, work } = gate();
    const running = limit(['a'], work);
    const waiting = Array.from({ length: 16 }, (_, i) => limit([`user ${i}`], async () => 'served'));
    await expect(limit(['b'], work)).rejects.toMatchObject({ code: 'overloaded', details: { headers: { 'retry-after': '1' } } });
    open[0]?.();
    await running;
    expect(await Promise.all(waiting)).toHaveLength(16);
    await expect(limit(['a'], () => Promise.reject(new Error('on purpose')))).rejects.toThrow('on purpose');
    expect(await limit(['a'], async () => 'served')).toBe('served');
  });

  it('gives one caller at most half of the places', async () => {
    const limit = limitConcurrency(4);
    const { open, work } = gate();
    const greedy = Array.from({ length: 20 }, () => limit(['greedy', 'event 1'], work));
    await settle();
    expect(open).toHaveLength(2);
    expect(await limit(['other', 'event 2'], async () => 'served')).toBe('served');
    // A request of another caller for the same event must wait, because the event already uses half of the places.
    const same = limit(['other', 'event 1'], async () => 'served');
    for (let released = 0; released < 20; released++) {
      await settle();
      open[released]?.();
    }
    await Promise.all(greedy);
    expect(await same).toBe('served');
  });

  it('refuses with rate_limited when one caller has filled half of the queue', async () => {
    const limit = limitConcurrency(2);
    const { open, work } = gate();
    const greedy = Array.from({ length: 17 }, () => limit(['greedy'], work));
    await expect(limit(['greedy'], work)).rejects.toMatchObject({ code: 'rate_limited' });
    expect(await limit(['other'], async () => 'served')).toBe('served');
    for (let released = 0; released < 17; released++) {
      await settle();
      open[released]?.();
    }
    await Promise.all(greedy);
  });
});
