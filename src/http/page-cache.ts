/** The maximum age of a page. Pages also depend on the time, for example when a sale starts, and nothing notifies the cache then. */
const maxAgeMs = 1_000;
/** After this time one request reads the page again, while other requests still get the cached page. */
export const renewAfterMs = 500;
const maxPages = 5_000;
const maxBytes = 64 * 1_048_576;
const maxChangesKept = 10_000;

/** A cached response. The arrays hold header names and values alternately. */
export interface Page {
  operation: string;
  headers: string[];
  bodyHeaders: string[];
  etag: string;
  /** The body in latin1, one character per byte. Node sends a latin1 string in the same write as the headers, but a buffer in a separate write. */
  body: string;
}

interface KeptPage extends Page {
  tag: string;
  readAt: number;
  renewing: boolean;
}

/** The version of the cache before the data is read. The page may be cached only if its tag was not dropped after this version. */
export interface Snapshot {
  tag: string;
  version: number;
  at: number;
}

/** The tag of pages that show more than one event. Dropping this tag drops all pages. */
export const allPagesTag = '*';

/** A cache of responses to anonymous callers. A page is dropped when an event that it shows changes. */
export class PageCache {
  readonly #pages = new Map<string, KeptPage>();
  readonly #keysOf = new Map<string, Set<string>>();
  readonly #changes = new Map<string, number>();
  readonly #pending = new Map<string, { snapshot: Snapshot; result: Promise<unknown> }>();
  #version = 0;
  #minVersion = 0;
  #bytes = 0;

  /** Returns undefined when there is no valid page, or when this caller must renew the page. */
  find(key: string): Page | undefined {
    const page = this.#pages.get(key);
    if (!page) return undefined;
    const age = performance.now() - page.readAt;
    if (age >= maxAgeMs) {
      this.#remove(key, page);
      return undefined;
    }
    if (age >= renewAfterMs && !page.renewing) {
      page.renewing = true;
      return undefined;
    }
    return page;
  }

  /** Concurrent requests for the same page share one execution of `work`. A request that arrives after a change starts a new execution. */
  async share<T>(key: string, tag: string, work: () => Promise<T>): Promise<{ result: T; snapshot: Snapshot }> {
    const shared = this.#pending.get(key);
    if (shared && this.isCurrent(shared.snapshot)) return { result: (await shared.result) as T, snapshot: shared.snapshot };
    const snapshot = { tag, version: this.#version, at: performance.now() };
    const result = work();
    const entry = { snapshot, result };
    this.#pending.set(key, entry);
    try {
      return { result: await result, snapshot };
    } finally {
      if (this.#pending.get(key) === entry) this.#pending.delete(key);
    }
  }

  keep(key: string, snapshot: Snapshot, page: Page): void {
    const size = key.length + page.body.length;
    if (!this.isCurrent(snapshot) || size > maxBytes / 100) return;
    const old = this.#pages.get(key);
    if (old) this.#remove(key, old);
    while (this.#pages.size >= maxPages || this.#bytes + size > maxBytes) {
      const [oldest] = this.#pages;
      if (!oldest) break;
      this.#remove(...oldest);
    }
    this.#pages.set(key, { ...page, tag: snapshot.tag, readAt: snapshot.at, renewing: false });
    this.#bytes += size;
    const keys = this.#keysOf.get(snapshot.tag) ?? new Set();
    this.#keysOf.set(snapshot.tag, keys.add(key));
  }

  /** Removes the pages that show the event with this id. `allPagesTag` removes all pages. */
  drop(tag: string): void {
    this.#version++;
    if (tag === allPagesTag) {
      this.#pages.clear();
      this.#keysOf.clear();
      this.#changes.clear();
      this.#bytes = 0;
      this.#minVersion = this.#version;
      return;
    }
    if (this.#changes.size >= maxChangesKept) {
      this.#changes.clear();
      this.#minVersion = this.#version;
    }
    // Pages with several events may show this event too.
    for (const changed of [tag, allPagesTag]) {
      this.#changes.set(changed, this.#version);
      for (const key of this.#keysOf.get(changed) ?? []) {
        const page = this.#pages.get(key);
        if (page) this.#remove(key, page);
      }
    }
  }

  /** Whether nothing has changed that a page with this tag may show. */
  isCurrent({ tag, version }: Snapshot): boolean {
    return version >= this.#minVersion && version >= (this.#changes.get(tag) ?? 0);
  }

  #remove(key: string, page: KeptPage): void {
    this.#pages.delete(key);
    this.#bytes -= key.length + page.body.length;
    const keys = this.#keysOf.get(page.tag);
    keys?.delete(key);
    if (keys?.size === 0) this.#keysOf.delete(page.tag);
  }
}
