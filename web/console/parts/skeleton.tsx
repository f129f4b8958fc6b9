import { useConsole } from '../app/console.ts';

/** Grey lines in place of what is still loading. */
export function Skeleton({ lines = 6 }: { lines?: number }) {
  const { t } = useConsole();
  return (
    <div class="skeleton" role="status" aria-label={t.loading}>
      {Array.from({ length: lines }, (_, index) => (
        <i key={index} />
      ))}
    </div>
  );
}
