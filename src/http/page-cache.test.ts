import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { allPagesTag, type Page, PageCache } from './page-cache.ts';

const page = (body: string): Page => ({ operation: 'getEvent', headers: [], bodyHeaders: [], etag: `"${body}"`, body });

/** Reads a page and puts it into the cache. */
async function make(pages: PageCache, key: string, tag: string, body = key): Promise<void> {
  const { snapshot } = await pages.share(key, tag, async () => undefined);
  pages.keep(key, snapshot, page(body));
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

describe('PageCache', () => {
  it('drop(event) removes only the pages of that event', async () => {
    const pages = new PageCache();
    await make(pages, '/event/1', '1');
    await make(pages, '/event/1/tickets', '1');
    await make(pages, '/event/2', '2');
    pages.drop('1');
    expect(['/event/1', '/event/1/tickets', '/event/2'].map((key) => pages.find(key)?.body)).toEqual([undefined, undefined, '/event/2']);
  });

  it('drop(event) also removes pages that show several events, and drop(allPagesTag) removes all pages', async () => {
    const pages = new PageCache();
    await make(pages, '/music', allPagesTag);
    await make(pages, '/event/2', '2');
    pages.drop('1');
    expect([pages.find('/music'), pages.find('/event/2')?.body]).toEqual([undefined, '/event/2']);
    await make(pages, '/music', allPagesTag);
    pages.drop(allPagesTag);
    expect([pages.find('/music'), pages.find('/event/2')]).toEqual([undefined, undefined]);
  });

  it.each(['1', allPagesTag])('a page that was read before drop(%s) is not cached after it', async (changed) => {
    const pages = new PageCache();
    const { snapshot } = await pages.share('/event/1', '1', async () => undefined);
    pages.drop(changed);
    pages.keep('/event/1', snapshot, page('old'));
    expect(pages.find('/event/1')).toBeUndefined();
  });

  it('a page that was read before a change of another event is cached', async () => {
    const pages = new PageCache();
    const { snapshot } = await pages.share('/event/1', '1', async () => undefined);
    pages.drop('2');
    pages.keep('/event/1', snapshot, page('good'));
    expect(pages.find('/event/1')?.body).toBe('good');
  });

  it('a page expires one second after it was read', async () => {
    const pages = new PageCache();
    const { snapshot } = await pages.share('/event/1', '1', async () => undefined);
    vi.advanceTimersByTime(400);
    pages.keep('/event/1', snapshot, page('x'));
    expect(pages.find('/event/1')?.body).toBe('x');
    vi.advanceTimersByTime(599);
    pages.find('/event/1');
    expect(pages.find('/event/1')?.body).toBe('x');
    vi.advanceTimersByTime(1);
    expect(pages.find('/event/1')).toBeUndefined();
  });

  it('after half a second one request renews the page, while other requests still get the cached page', async () => {
    const pages = new PageCache();
    await make(pages, '/event/1', '1');
    vi.advanceTimersByTime(500);
    expect([pages.find('/event/1'), pages.find('/event/1')?.body, pages.find('/event/1')?.body]).toEqual([
      undefined,
      '/event/1',
      '/event/1',
    ]);
  });

  it('concurrent requests share one read, and a request after a change starts a new read', async () => {
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

  it('a failed read rejects the requests that share it, but not later requests', async () => {
    const pages = new PageCache();
    const failing = () => pages.share('/event/1', '1', () => Promise.reject(new Error('on purpose')));
    await Promise.all([expect(failing()).rejects.toThrow('on purpose'), expect(failing()).rejects.toThrow('on purpose')]);
    expect((await pages.share('/event/1', '1', async () => 'fine')).result).toBe('fine');
  });

  it('keeps at most 5,000 pages, removes the oldest first, and does not cache huge pages', async () => {
    const pages = new PageCache();
    for (let i = 0; i < 5_001; i++) await make(pages, `/event/${i}`, String(i));
    expect([pages.find('/event/0'), pages.find('/event/5000')?.body]).toEqual([undefined, '/event/5000']);
    await make(pages, '/huge', '1', 'x'.repeat(1_000_000));
    expect(pages.find('/huge')).toBeUndefined();
  });
});
