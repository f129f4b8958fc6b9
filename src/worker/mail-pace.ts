import { type EventLoopUtilization, performance } from 'node:perf_hooks';

/** The maximum number of mails in one round of an idle process. */
const maxWhenIdle = 200;
/** The maximum number of mails in one round of a busy process. */
const maxWhenBusy = 10;
/** If the event loop utilization is above this value, the process counts as busy. */
const busyFrom = 0.5;

/**
 * Limits the mails per round in a busy process. Rendering a mail with its pictures blocks the event loop for milliseconds, so requests have
 * to wait. The load is measured between rounds, so that it does not include the sending of mails.
 */
export function mailPace(measure: (since?: EventLoopUtilization) => EventLoopUtilization = performance.eventLoopUtilization) {
  let sinceLastRound = measure();
  return async <T>(round: (maxMails: number) => Promise<T>): Promise<T> => {
    const { utilization } = measure(sinceLastRound);
    try {
      return await round(utilization > busyFrom ? maxWhenBusy : maxWhenIdle);
    } finally {
      sinceLastRound = measure();
    }
  };
}
