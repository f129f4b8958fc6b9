import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

export interface Loaded<T> {
  /** The last data that was loaded. It stays while newer data is loading. */
  data: T | undefined;
  /** Why the last load failed. */
  error: unknown;
  loading: boolean;
  /** Loads again. The old data stays until the new data has arrived. */
  reload(): Promise<void>;
  /** Replaces the data without a request, for example with the answer of a write. */
  set(data: T): void;
}

/**
 * Loads data when the screen opens, and again when one of `keys` changes: `useData((signal) => client.orders.get({ id }, { signal }), [id])`.
 * Show the result with `<Show of={…}>`.
 */
export function useData<T>(load: (signal: AbortSignal) => Promise<T>, keys: readonly unknown[]): Loaded<T> {
  const [state, setState] = useState<Pick<Loaded<T>, 'data' | 'error' | 'loading'>>({ data: undefined, error: undefined, loading: true });
  const running = useRef<AbortController | null>(null);
  const latest = useRef(load);
  latest.current = load;

  const reload = useCallback(async () => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    setState((previous) => ({ ...previous, loading: true }));
    try {
      const data = await latest.current(controller.signal);
      if (!controller.signal.aborted) setState({ data, error: undefined, loading: false });
    } catch (error) {
      if (!controller.signal.aborted) setState(({ data }) => ({ data, error, loading: false }));
    }
  }, []);

  useEffect(() => {
    void reload();
    return () => running.current?.abort();
  }, keys);

  const set = useCallback((data: T) => setState({ data, error: undefined, loading: false }), []);
  return { ...state, reload, set };
}

interface Page<R> {
  data: R[];
  nextCursor: string | null;
  total?: number;
}

export interface Pages<R> extends Omit<Loaded<R[]>, 'set'> {
  /** Loads the next page and adds it. Null if this was the last page. */
  more: (() => Promise<void>) | null;
  /** How many rows there are on all pages, if the request asked for it with `count: true`. */
  total: number | undefined;
  /** Changes a row that is shown, for example with the answer of a write. */
  change(change: (rows: R[]) => R[]): void;
}

/** Loads a list page by page: `usePages((cursor, signal) => client.orders.list({ eventId, cursor, pageSize: 25 }, { signal }), [eventId])`. */
export function usePages<R>(
  load: (cursor: string | undefined, signal?: AbortSignal) => Promise<Page<R>>,
  keys: readonly unknown[],
): Pages<R> {
  const { data, error, loading, reload, set } = useData<Page<R>>((signal) => load(undefined, signal), keys);
  const cursor = data?.nextCursor ?? null;
  const more =
    data && cursor !== null
      ? async () => {
          const next = await load(cursor);
          set({ ...next, data: [...data.data, ...next.data], ...(data.total !== undefined && { total: data.total }) });
        }
      : null;
  const change = (by: (rows: R[]) => R[]) => data && set({ ...data, data: by(data.data) });
  return { data: data?.data, error, loading, reload, more, total: data?.total, change };
}
