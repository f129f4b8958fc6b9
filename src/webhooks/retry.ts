import type { PostResult } from './post.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** The delays after failed attempts. The last one is repeated. */
const retryDelays = [5_000, 30_000, 2 * minuteMs, 10 * minuteMs, 30 * minuteMs, hourMs, 2 * hourMs, 4 * hourMs, 6 * hourMs];
/** A delivery that fails this long after its first attempt is parked. */
export const retryMs = 3 * 24 * hourMs;

/** After this many rounds without a response the address counts as down. When it responds again, all waiting deliveries are due at once. */
export const downFrom = 3;

const shortestPauseMs = 5_000;
const longestPauseMs = 10 * minuteMs;

export interface Outcome {
  status: 'pending' | 'delivered' | 'parked';
  nextAttemptAt: Date;
}

/** Decides what happens to a delivery after an attempt. */
export function afterAttempt(
  { attempts, first_attempted_at }: { attempts: number; first_attempted_at: Date | null },
  { error }: Pick<PostResult, 'error'>,
  at: Date,
): Outcome {
  if (error === null) return { status: 'delivered', nextAttemptAt: at };
  if (at.getTime() - (first_attempted_at ?? at).getTime() >= retryMs) return { status: 'parked', nextAttemptAt: at };
  const delay = retryDelays[Math.min(attempts, retryDelays.length - 1)] ?? hourMs;
  return { status: 'pending', nextAttemptAt: new Date(at.getTime() + delay) };
}

export interface Health {
  failures: number;
  failing_since: Date | null;
  retry_at: Date | null;
}

/**
 * Decides whether to pause the webhook after a round of attempts. An address that does not respond is tried with one message at a time. The
 * pauses are a tenth of the time for which it has failed, from 5 seconds to 10 minutes. So a dead address costs little, however many messages
 * wait for it, and it gets them soon after it is back. A response with an error status concerns only its subject and pauses nothing.
 */
export function afterRound(health: Health, results: readonly Pick<PostResult, 'status'>[], at: Date): Health {
  if (results.some(({ status }) => status !== null)) return { failures: 0, failing_since: null, retry_at: null };
  const since = health.failing_since ?? at;
  const pauseMs = Math.min(Math.max((at.getTime() - since.getTime()) / 10, shortestPauseMs), longestPauseMs);
  return { failures: health.failures + 1, failing_since: since, retry_at: new Date(at.getTime() + pauseMs) };
}
