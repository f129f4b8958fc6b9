import { useEffect, useRef } from 'preact/hooks';

const everyMs = 5_000;

/** Calls `work` every few seconds while the page is visible, and at once when it becomes visible again. */
export function useRepeat(work: () => Promise<unknown>, ms = everyMs): void {
  const latest = useRef(work);
  latest.current = work;
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const plan = () => {
      clearTimeout(timer);
      if (document.visibilityState === 'visible') timer = setTimeout(() => void latest.current().finally(plan), ms);
    };
    const shown = () => {
      if (document.visibilityState === 'visible') void latest.current();
      plan();
    };
    plan();
    document.addEventListener('visibilitychange', shown);
    return () => {
      clearTimeout(timer);
      timer = undefined;
      document.removeEventListener('visibilitychange', shown);
    };
  }, [ms]);
}
