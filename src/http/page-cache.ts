/** A page is never older than this, whatever was missed: what depends on the clock changes without anybody telling. */
const longestLifeMs = 1_000;
/** From here on the next request takes the long way and renews the page, while the others still get the old one. */
const renewAfterMs = 500;
const mostPages = 5_000;
const mostBytes = 64 * 1_048_576;
const mostChangesKept = 10_000;

/** An answer as it goes over the wire; its headers in turn name and value. */
export interface Page {
  operation: string;
  headers: string[];
  bodyHeaders: string[];
  etag: string;
  /** One character a byte: Node sends such a text in one piece with the headers, and bytes in a piece of their own. */
  body: string;
}

interface KeptPage extends Page {
  tag: string;
  madeAt: number;
  renewing: boolean;
}

/** Taken before the data is read: a page may be kept only if nothing that it shows has changed since. */
interface Reading {
  tag: string;
  since: number;
  at: number;
}

/** The tag of pages that show more than one event, and the notice that anything may have changed. */
export const everything = '*';

/** Answers that anyone may read, kept as ready bytes until something in them changes. */
export class PageCache {
  readonly #pages = new Map<string, KeptPage>();
  readonly #keysOf = new Map<string, Set<string>>();
  readonly #changes = new Map<string, number>();
  readonly #underWay = new Map<string, { reading: Reading; answer: Promise<unknown> }>();
  #count = 0;
  #forgottenUpTo = 0;
  #bytes = 0;

  /** Nothing when there is none that may be shown, or when the asker is to renew it. */
  find(key: string): Page | undefined {
    const page = this.#pages.get(key);
    if (!page) return undefined;
    const age = performance.now() - page.madeAt;
    if (age >= longestLifeMs) {
      this.#remove(key, page);
      return undefined;
    }
    if (age >= renewAfterMs && !page.renewing) {
      page.renewing = true;
      return undefined;
    }
    return page;
  }

  /** Those who ask for the same page at the same time share the work, unless what it shows has changed since it began. */
  async share<T>(key: string, tag: string, work: () => Promise<T>): Promise<{ answer: T; reading: Reading }> {
    const shared = this.#underWay.get(key);
    if (shared && this.#current(shared.reading)) return { answer: (await shared.answer) as T, reading: shared.reading };
    const reading = { tag, since: this.#count, at: performance.now() };
    const answer = work();
    const entry = { reading, answer };
    this.#underWay.set(key, entry);
    try {
      return { answer: await answer, reading };
    } finally {
      if (this.#underWay.get(key) === entry) this.#underWay.delete(key);
    }
  }

  keep(key: string, reading: Reading, page: Page): void {
    const size = key.length + page.body.length;
    if (!this.#current(reading) || size > mostBytes / 100) return;
    const old = this.#pages.get(key);
    if (old) this.#remove(key, old);
    while (this.#pages.size >= mostPages || this.#bytes + size > mostBytes) {
      const [oldest] = this.#pages;
      if (!oldest) break;
      this.#remove(...oldest);
    }
    this.#pages.set(key, { ...page, tag: reading.tag, madeAt: reading.at, renewing: false });
    this.#bytes += size;
    const keys = this.#keysOf.get(reading.tag) ?? new Set();
    this.#keysOf.set(reading.tag, keys.add(key));
  }

  /** The event with this id has changed, or with `everything` anything. */
  drop(tag: string): void {
    this.#count++;
    if (tag === everything) {
      this.#pages.clear();
      this.#keysOf.clear();
      this.#changes.clear();
      this.#bytes = 0;
      this.#forgottenUpTo = this.#count;
      return;
    }
    if (this.#changes.size >= mostChangesKept) {
      this.#changes.clear();
      this.#forgottenUpTo = this.#count;
    }
    // What shows more than one event may show this one.
    for (const changed of [tag, everything]) {
      this.#changes.set(changed, this.#count);
      for (const key of this.#keysOf.get(changed) ?? []) {
        const page = this.#pages.get(key);
        if (page) this.#remove(key, page);
      }
    }
  }

  #current({ tag, since }: Reading): boolean {
    return since >= this.#forgottenUpTo && since >= (this.#changes.get(tag) ?? 0);
  }

  #remove(key: string, page: KeptPage): void {
    this.#pages.delete(key);
    this.#bytes -= key.length + page.body.length;
    const keys = this.#keysOf.get(page.tag);
    keys?.delete(key);
    if (keys?.size === 0) this.#keysOf.delete(page.tag);
  }
}
