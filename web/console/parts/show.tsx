import type { ComponentChildren } from 'preact';
import { isProblem, NoAnswer } from '../../../client/src/index.ts';
import type { FrameMessages } from '../../messages/console/frame.en.ts';
import { Notice } from '../../ui/notice.tsx';
import { useConsole } from '../app/console.ts';
import type { Loaded } from '../app/use-data.ts';
import { Skeleton } from './skeleton.tsx';

/** What went wrong, in the reader's language if the problem is a known one. */
export function errorText(t: FrameMessages, error: unknown): string {
  if (error instanceof NoAnswer) return t.problems.network;
  if (!isProblem(error)) return t.problems.unknown;
  const known: Partial<Record<string, string>> = t.problems;
  return known[error.code] ?? error.detail ?? error.title;
}

/** Shown instead of data that could not be loaded. */
export function Failure({ error, retry }: { error: unknown; retry?: () => unknown }) {
  const { t } = useConsole();
  return (
    <Notice tone="bad" title={t.failed} alert>
      <p>{errorText(t, error)}</p>
      {isProblem(error) && error.status >= 500 && (
        <p class="small soft">
          {t.requestId} {error.requestId}
        </p>
      )}
      {retry && (
        <button type="button" class="button secondary" onClick={() => void retry()}>
          {t.tryAgain}
        </button>
      )}
    </Notice>
  );
}

interface ShowProps<T> {
  of: Pick<Loaded<T>, 'data' | 'error' | 'loading' | 'reload'>;
  /** Shown until the first data arrives. It should have the size of the data, so that nothing moves. */
  skeleton?: ComponentChildren;
  children: (data: T) => ComponentChildren;
}

/** Shows loaded data: a skeleton first, then the data, or the error with a button to try again. Old data stays while newer data is loading. */
export function Show<T>({ of, skeleton = <Skeleton />, children }: ShowProps<T>) {
  const { data, error, loading, reload } = of;
  if (data === undefined) return error === undefined || loading ? <>{skeleton}</> : <Failure error={error} retry={reload} />;
  return (
    <div class="shown" aria-busy={loading}>
      {error !== undefined && <Failure error={error} retry={reload} />}
      {children(data)}
    </div>
  );
}
