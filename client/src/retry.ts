import { NoAnswer, Problem, UnexpectedAnswer } from './problem.ts';

const firstWaitMs = 250;
const longestWaitMs = 8_000;
/** Who is told to come back later than this is told so. */
const longestAskedMs = 60_000;

/** The service or something before it is busy or away: nothing was decided, and a write has its key. */
const passing = new Set([429, 502, 503, 504]);

/** How long to wait before the same request is sent again; null when that would be of no use. */
export function waitBeforeRetry(reason: unknown, retried: number): number | null {
  if (reason instanceof NoAnswer) return backOff(retried);
  if (!(reason instanceof Problem || reason instanceof UnexpectedAnswer) || !passing.has(reason.status)) return null;
  const askedMs = retryAfter(reason.headers);
  if (askedMs === null) return backOff(retried);
  // A little later than asked, and not all at the same moment.
  return askedMs > longestAskedMs ? null : askedMs + Math.random() * firstWaitMs;
}

/** Twice as long each time, and never the same for two clients. */
export function backOff(retried: number): number {
  return Math.min(longestWaitMs, firstWaitMs * 2 ** retried) * (0.5 + Math.random() / 2);
}

/** In seconds, or as a date. */
function retryAfter(headers: Headers): number | null {
  const text = headers.get('retry-after');
  if (text === null) return null;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}

export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      if (signal?.aborted) reject(signal.reason as Error);
      else resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done);
  });
}
