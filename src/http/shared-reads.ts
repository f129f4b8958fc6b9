import type { PageCache, Snapshot } from './page-cache.ts';

/** Short, because a page that is cached for a second may show it. */
const maxAgeMs = 500;
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

  async read<T>(key: string, tag: string, work: () => Promise<T>): Promise<T> {
    const kept = this.#kept.get(key);
    if (kept && performance.now() - kept.snapshot.at < maxAgeMs && this.#pages.isCurrent(kept.snapshot)) return kept.result as T;
    const { result, snapshot } = await this.#pages.share(`shared read ${key}`, tag, work);
    if (this.#kept.size >= maxReads) this.#kept.clear();
    this.#kept.set(key, { snapshot, result });
    return result;
  }
}
