import { type EventLoopUtilization, performance } from 'node:perf_hooks';

const whenIdle = 200;
const whenBusy = 10;
/** The share of its time that a process may be at work for others and still count as idle. */
const busyFrom = 0.5;

/**
 * A mail with its pictures takes milliseconds that requests would wait for. So a round is short in a process that was busy between rounds,
 * when no mail was sent: what it did then was for others.
 */
export function mailPace(measure: (since?: EventLoopUtilization) => EventLoopUtilization = performance.eventLoopUtilization) {
  let resting = measure();
  return async <T>(round: (most: number) => Promise<T>): Promise<T> => {
    const { utilization } = measure(resting);
    try {
      return await round(utilization > busyFrom ? whenBusy : whenIdle);
    } finally {
      resting = measure();
    }
  };
}
