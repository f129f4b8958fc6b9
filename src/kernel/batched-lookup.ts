/**
 * Combines concurrent lookups into one query. A call that arrives while a query runs waits for the next query, so that it never gets data
 * that was read before the call. Nothing is cached.
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
