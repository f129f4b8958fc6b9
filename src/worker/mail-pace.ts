import { type EventLoopUtilization, performance } from 'node:perf_hooks';

/** Mails per round. */
const whenIdle = 200;
const whenBusy = 10;
/** Event loop utilization above which the process counts as busy. */
const busyFrom = 0.5;

/**
 * Limits the mails per round in a busy process. Rendering a mail with its pictures blocks the event loop for milliseconds, and requests would
 * wait. The load is measured between rounds, so that sending mails itself does not count.
 */
export function mailPace(measure: (since?: EventLoopUtilization) => EventLoopUtilization = performance.eventLoopUtilization) {
  let sinceLastRound = measure();
  return async <T>(round: (max: number) => Promise<T>): Promise<T> => {
    const { utilization } = measure(sinceLastRound);
    try {
      return await round(utilization > busyFrom ? whenBusy : whenIdle);
    } finally {
      sinceLastRound = measure();
    }
  };
}
