const firstWaitMs = 5_000;
const longestWaitMs = 60 * 60_000;
/** The waits between so many attempts add up to more than 24 hours. */
const mostAttempts = 34;

/** How long to wait after so many failed attempts: 5 s, doubled each time up to 1 h. Null when the notice is to be given up. */
export function waitAfter(attempts: number): number | null {
  return attempts < mostAttempts ? Math.min(firstWaitMs * 2 ** (attempts - 1), longestWaitMs) : null;
}
