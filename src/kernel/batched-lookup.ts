/**
 * Combines concurrent lookups into one query. A caller that arrives while a query runs waits for the next one, so every caller gets
 * what was read after it asked. Nothing is cached.
 */
export function batchedLookup<K, V>(find: (keys: readonly K[]) => Promise<ReadonlyMap<K, V>>): (key: K) => Promise<V | undefined> {
  let next: { keys: Set<K>; found: Promise<ReadonlyMap<K, V>> } | null = null;
  let running: Promise<unknown> = Promise.resolve();

  function open() {
    const keys = new Set<K>();
    const before = running;
    const look = async () => {
      await before;
      next = null;
      return find([...keys]);
    };
    const found = look();
    running = found.catch(() => undefined);
    return { keys, found };
  }

  return async (key) => {
    next ??= open();
    const { keys, found } = next;
    keys.add(key);
    return (await found).get(key);
  };
}
