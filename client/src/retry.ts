import { NoAnswer, Problem, UnexpectedAnswer } from './problem.ts';

const firstWaitMs = 250;
const maxWaitMs = 8_000;
/** The longest `Retry-After` that the client waits for. If it is longer, the client throws the error. */
const maxRetryAfterMs = 60_000;

/**
 * Statuses of a service or a proxy that is busy or unreachable. It is safe to send the request again: either the service has not processed
 * it, or the service recognizes a write by its idempotency key.
 */
const retryableStatuses = new Set([429, 502, 503, 504]);

/** Returns how long to wait before the same request is sent again, or null if it must not be retried. */
export function waitBeforeRetry(reason: unknown, retried: number): number | null {
  if (reason instanceof NoAnswer) return backOff(retried);
  if (!(reason instanceof Problem || reason instanceof UnexpectedAnswer) || !retryableStatuses.has(reason.status)) return null;
  const requestedMs = retryAfter(reason.headers);
  if (requestedMs === null) return backOff(retried);
  // The additional random time keeps many clients from retrying at the same time.
  return requestedMs > maxRetryAfterMs ? null : requestedMs + Math.random() * firstWaitMs;
}

/** Exponential back-off with jitter: each wait is about twice as long as the previous wait. */
export function backOff(retried: number): number {
  return Math.min(maxWaitMs, firstWaitMs * 2 ** retried) * (0.5 + Math.random() / 2);
}

/** Returns the milliseconds of `Retry-After`, or null. The header is a number of seconds or a date. */
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
