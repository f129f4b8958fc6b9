/**
 * Who asks while a look-up is under way waits for the next one, which answers all who came meanwhile. So everybody is answered by
 * what was read after they asked, and a crowd costs no more look-ups than one caller who asks again and again.
 */
export function lookUpTogether<K, V>(find: (keys: readonly K[]) => Promise<ReadonlyMap<K, V>>): (key: K) => Promise<V | undefined> {
  let next: { keys: Set<K>; found: Promise<ReadonlyMap<K, V>> } | null = null;
  let underWay: Promise<unknown> = Promise.resolve();

  function gather() {
    const keys = new Set<K>();
    const before = underWay;
    const look = async () => {
      await before;
      next = null;
      return find([...keys]);
    };
    const found = look();
    underWay = found.catch(() => undefined);
    return { keys, found };
  }

  return async (key) => {
    next ??= gather();
    const { keys, found } = next;
    keys.add(key);
    return (await found).get(key);
  };
}
