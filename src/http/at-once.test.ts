import { describe, expect, it } from 'vitest';
import { limitAtOnce } from './at-once.ts';

/** Work that ends when it is told to. */
function gate() {
  const open: (() => void)[] = [];
  const work = () => new Promise<void>((resolve) => open.push(resolve));
  return { open, work };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('how many run at once', () => {
  it('is never more than there are places, and everyone gets a turn in order', async () => {
    const limit = limitAtOnce(2);
    const { open, work } = gate();
    const done: number[] = [];
    const all = Array.from({ length: 6 }, (_, i) => limit(work).then(() => done.push(i)));
    for (let released = 0; released < 6; released++) {
      await settle();
      expect(open.length - released).toBeLessThanOrEqual(2);
      open[released]?.();
    }
    await Promise.all(all);
    expect(done).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('503: beyond a bounded queue one is told to come back, and a failure frees its place', async () => {
    const limit = limitAtOnce(1);
    const { open, work } = gate();
    const running = limit(work);
    const waiting = Array.from({ length: 16 }, () => limit(async () => 'served'));
    await expect(limit(work)).rejects.toMatchObject({ code: 'overloaded', details: { headers: { 'retry-after': '1' } } });
    open[0]?.();
    await running;
    expect(await Promise.all(waiting)).toHaveLength(16);
    await expect(limit(() => Promise.reject(new Error('on purpose')))).rejects.toThrow('on purpose');
    expect(await limit(async () => 'served')).toBe('served');
  });
});
