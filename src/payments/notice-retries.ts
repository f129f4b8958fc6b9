const firstWaitMs = 5_000;
const longestWaitMs = 60 * 60_000;
/** The waits between these attempts add up to more than 24 hours. */
const maxAttempts = 34;

/** How long to wait after this number of failed attempts: 5 s, doubled each time up to 1 h. Null means: do not retry. */
export function waitAfter(attempts: number): number | null {
  return attempts < maxAttempts ? Math.min(firstWaitMs * 2 ** (attempts - 1), longestWaitMs) : null;
}
