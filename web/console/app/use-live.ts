import { useEffect, useRef } from 'preact/hooks';
import { type CallOptions, etagOf } from '../../../client/src/index.ts';
import { type Loaded, useData } from './use-data.ts';

const everyMs = 5_000;

/**
 * Like `useData`, and loads again every few seconds while the page is visible. Each poll sends the ETag of the last answer, so that unchanged data
 * costs little. A poll that fails is left out, and the next one may succeed.
 */
export function useLive<T extends object>(load: (options: CallOptions) => Promise<T>, keys: readonly unknown[]): Loaded<T> {
  const loaded = useData((signal) => load({ signal }), keys);
  const latest = useRef({ load, loaded });
  latest.current = { load, loaded };
  useEffect(() => {
    const controller = new AbortController();
    const poll = async (): Promise<void> => {
      const { data, loading, set } = latest.current.loaded;
      if (!data || loading || document.visibilityState !== 'visible') return;
      const etag = etagOf(data);
      const headers = etag === undefined ? {} : { 'if-none-match': etag };
      // An unchanged answer has no body, which the client reports as an error.
      const next = await latest.current.load({ signal: controller.signal, retries: 0, headers }).catch(() => null);
      if (next && latest.current.loaded.data === data) set(next);
    };
    let timer = setTimeout(function again() {
      void poll().finally(() => {
        if (!controller.signal.aborted) timer = setTimeout(again, everyMs);
      });
    }, everyMs);
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, keys);
  return loaded;
}
