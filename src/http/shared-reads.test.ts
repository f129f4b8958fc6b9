import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { allPagesTag, PageCache } from './page-cache.ts';
import { SharedReads } from './shared-reads.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

/** Shared reads that count how often the event is read. */
function setUp() {
  const pages = new PageCache();
  const shared = new SharedReads(pages);
  let reads = 0;
  return { pages, shared, readEvent: async () => (await shared.read('event', '1', async () => ++reads)).result };
}

describe('SharedReads', () => {
  it('reads once for half a second, then again', async () => {
    const { readEvent } = setUp();
    expect([await readEvent(), await readEvent()]).toEqual([1, 1]);
    vi.advanceTimersByTime(499);
    expect(await readEvent()).toBe(1);
    vi.advanceTimersByTime(1);
    expect(await readEvent()).toBe(2);
  });

  it('tells when the result was read', async () => {
    const { shared } = setUp();
    const { readAt } = await shared.read('event', '1', async () => 'title');
    vi.advanceTimersByTime(300);
    expect(await shared.read('event', '1', async () => 'later title')).toEqual({ result: 'title', readAt });
    vi.advanceTimersByTime(300);
    expect(await shared.read('event', '1', async () => 'later title')).toEqual({ result: 'later title', readAt: readAt + 600 });
  });

  it('concurrent pages share one read', async () => {
    const { readEvent } = setUp();
    expect(await Promise.all([readEvent(), readEvent(), readEvent()])).toEqual([1, 1, 1]);
  });

  it.each(['1', allPagesTag])('drop(%s) makes the next page read again', async (tag) => {
    const { pages, readEvent } = setUp();
    await readEvent();
    pages.drop(tag);
    expect(await readEvent()).toBe(2);
  });

  it('a change of another event changes nothing', async () => {
    const { pages, readEvent } = setUp();
    await readEvent();
    pages.drop('2');
    expect(await readEvent()).toBe(1);
  });

  it('what was read before a change is not kept after it', async () => {
    const { pages, shared } = setUp();
    let finish: (title: string) => void = () => {};
    const early = shared.read('event', '1', () => new Promise<string>((resolve) => (finish = resolve)));
    pages.drop('1');
    finish('old title');
    expect((await early).result).toBe('old title');
    expect((await shared.read('event', '1', async () => 'new title')).result).toBe('new title');
  });

  it('a read that failed is tried again by the next page', async () => {
    const { shared, readEvent } = setUp();
    await expect(shared.read('event', '1', () => Promise.reject(new Error('no connection')))).rejects.toThrow('no connection');
    expect(await readEvent()).toBe(1);
  });
});
