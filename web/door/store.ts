import { useLayoutEffect, useState } from 'preact/hooks';

/** A value that components watch. */
export class Store<T extends object> {
  value: T;
  readonly #watchers = new Set<() => void>();

  constructor(value: T) {
    this.value = value;
  }

  set(changes: Partial<T>): void {
    this.value = { ...this.value, ...changes };
    for (const notify of this.#watchers) notify();
  }

  watch(notify: () => void): () => void {
    this.#watchers.add(notify);
    return () => void this.#watchers.delete(notify);
  }
}

export function useStore<T extends object>(store: Store<T>): T {
  const [, render] = useState(0);
  // Before the browser paints: a change between the first rendering and the watching would be missed.
  useLayoutEffect(() => store.watch(() => render((n) => n + 1)), [store]);
  return store.value;
}
