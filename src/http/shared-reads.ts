import { type PageCache, renewAfterMs, type Snapshot } from './page-cache.ts';

const maxReads = 200;

/**
 * Shares what many pages show, for example the categories in the header, so that an address that nobody has asked for before does not cost
 * all its statements. Like a page, it is dropped when an event that it shows changes.
 */
export class SharedReads {
  readonly #pages: PageCache;
  readonly #kept = new Map<string, { snapshot: Snapshot; result: unknown }>();

  constructor(pages: PageCache) {
    this.#pages = pages;
  }

  /** Also returns when the result was read. A page that shows it is as old as this. */
  async read<T>(key: string, tag: string, work: () => Promise<T>): Promise<{ result: T; readAt: number }> {
    const kept = this.#kept.get(key);
    // A page is renewed at the same age, so a renewed page never starts with an old read.
    if (kept && performance.now() - kept.snapshot.at < renewAfterMs && this.#pages.isCurrent(kept.snapshot)) {
      return { result: kept.result as T, readAt: kept.snapshot.at };
    }
    const { result, snapshot } = await this.#pages.share(`shared read ${key}`, tag, work);
    if (this.#kept.size >= maxReads) this.#kept.clear();
    this.#kept.set(key, { snapshot, result });
    return { result, readAt: snapshot.at };
  }
}
