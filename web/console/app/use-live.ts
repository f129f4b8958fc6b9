import { useRef } from 'preact/hooks';
import { type CallOptions, etagOf } from '../../../client/src/index.ts';
import { useRepeat } from '../parts/use-repeat.ts';
import { type Loaded, useData } from './use-data.ts';

/**
 * Like `useData`, and loads again every few seconds while the page is visible. Each poll sends the ETag of the last answer, so that unchanged data
 * costs little. A poll that fails is left out, and the next one may succeed.
 */
export function useLive<T extends object>(load: (options: CallOptions) => Promise<T>, keys: readonly unknown[]): Loaded<T> {
  const loaded = useData((signal) => load({ signal }), keys);
  const latest = useRef(loaded);
  latest.current = loaded;
  useRepeat(async () => {
    const { data, loading, set } = latest.current;
    if (!data || loading) return;
    const etag = etagOf(data);
    // An unchanged answer has no body, which the client reports as an error.
    const next = await load({ retries: 0, ...(etag && { headers: { 'if-none-match': etag } }) }).catch(() => null);
    // Meanwhile the reader may have opened something else.
    if (next && latest.current.data === data) set(next);
  });
  return loaded;
}
