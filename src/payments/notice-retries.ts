const firstWaitMs = 5_000;
const longestWaitMs = 60 * 60_000;
/** With 34 attempts, the waits add up to more than 24 hours. */
const maxAttempts = 34;

/**
 * Returns the wait in milliseconds after this number of failed attempts: 5 s, doubled after each attempt, at most 1 h. Null: do not retry.
 */
export function waitAfter(attempts: number): number | null {
  return attempts < maxAttempts ? Math.min(firstWaitMs * 2 ** (attempts - 1), longestWaitMs) : null;
}
