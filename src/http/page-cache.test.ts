import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { everything, type Page, PageCache } from './page-cache.ts';

const page = (body: string): Page => ({ operation: 'getEvent', headers: [], bodyHeaders: [], etag: `"${body}"`, body });

/** Reads and keeps a page in one go. */
async function make(pages: PageCache, key: string, tag: string, body = key): Promise<void> {
  const { reading } = await pages.share(key, tag, async () => undefined);
  pages.keep(key, reading, page(body));
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

describe('ready pages', () => {
  it('are found until they are dropped, and only those of the event that changed', async () => {
    const pages = new PageCache();
    await make(pages, '/event/1', '1');
    await make(pages, '/event/1/tickets', '1');
    await make(pages, '/event/2', '2');
    pages.drop('1');
    expect(['/event/1', '/event/1/tickets', '/event/2'].map((key) => pages.find(key)?.body)).toEqual([undefined, undefined, '/event/2']);
  });

  it('that show several events are dropped with any of them, and all with everything', async () => {
    const pages = new PageCache();
    await make(pages, '/music', everything);
    await make(pages, '/event/2', '2');
    pages.drop('1');
    expect([pages.find('/music'), pages.find('/event/2')?.body]).toEqual([undefined, '/event/2']);
    await make(pages, '/music', everything);
    pages.drop(everything);
    expect([pages.find('/music'), pages.find('/event/2')]).toEqual([undefined, undefined]);
  });

  it.each(['1', everything])('that were read before a change (%s) are not kept after it', async (changed) => {
    const pages = new PageCache();
    const { reading } = await pages.share('/event/1', '1', async () => undefined);
    pages.drop(changed);
    pages.keep('/event/1', reading, page('old'));
    expect(pages.find('/event/1')).toBeUndefined();
  });

  it('that were read before a change of another event are kept', async () => {
    const pages = new PageCache();
    const { reading } = await pages.share('/event/1', '1', async () => undefined);
    pages.drop('2');
    pages.keep('/event/1', reading, page('good'));
    expect(pages.find('/event/1')?.body).toBe('good');
  });

  it('are never older than a second, counted from when they were read', async () => {
    const pages = new PageCache();
    const { reading } = await pages.share('/event/1', '1', async () => undefined);
    vi.advanceTimersByTime(400);
    pages.keep('/event/1', reading, page('x'));
    expect(pages.find('/event/1')?.body).toBe('x');
    vi.advanceTimersByTime(599);
    pages.find('/event/1');
    expect(pages.find('/event/1')?.body).toBe('x');
    vi.advanceTimersByTime(1);
    expect(pages.find('/event/1')).toBeUndefined();
  });

  it('are renewed by one asker in their second half, while the others still get them', async () => {
    const pages = new PageCache();
    await make(pages, '/event/1', '1');
    vi.advanceTimersByTime(500);
    expect([pages.find('/event/1'), pages.find('/event/1')?.body, pages.find('/event/1')?.body]).toEqual([
      undefined,
      '/event/1',
      '/event/1',
    ]);
  });

  it('are read once for all who ask at the same time, and again for who asks after a change', async () => {
    const pages = new PageCache();
    let reads = 0;
    const finish: (() => void)[] = [];
    const ask = () =>
      pages.share('/event/1', '1', async () => {
        reads++;
        await new Promise<void>((resolve) => finish.push(resolve));
        return reads;
      });
    const early = [ask(), ask(), ask()];
    pages.drop('1');
    const late = [ask(), ask()];
    for (const end of finish) end();
    await Promise.all([...early, ...late]);
    expect(reads).toBe(2);
  });

  it('a reading that fails fails for those who share it, and for nobody after', async () => {
    const pages = new PageCache();
    const failing = () => pages.share('/event/1', '1', () => Promise.reject(new Error('on purpose')));
    await Promise.all([expect(failing()).rejects.toThrow('on purpose'), expect(failing()).rejects.toThrow('on purpose')]);
    expect((await pages.share('/event/1', '1', async () => 'fine')).answer).toBe('fine');
  });

  it('take a bounded place, the oldest goes first', async () => {
    const pages = new PageCache();
    for (let i = 0; i < 5_001; i++) await make(pages, `/event/${i}`, String(i));
    expect([pages.find('/event/0'), pages.find('/event/5000')?.body]).toEqual([undefined, '/event/5000']);
    await make(pages, '/huge', '1', 'x'.repeat(1_000_000));
    expect(pages.find('/huge')).toBeUndefined();
  });
});
