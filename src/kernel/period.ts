import { ruleViolation } from './problem.ts';
import { readMoment } from './wall-clock.ts';

type End = 'start' | 'finish';
type ReadTime = (text: string, zone: string, end: End) => Date | null;

/** Reads `start` and `finish` of a request. Throws 422 if a time does not exist in `zone` or if `finish` is not after `start`. */
export function readPeriod(sent: Record<End, string>, zone: string): Record<End, Date> {
  const period = { start: readEnd('start', sent.start, zone, readMoment), finish: readEnd('finish', sent.finish, zone, readMoment) };
  if (period.start >= period.finish) throw ruleViolation('finish', 'order', 'finish must be after start');
  return period;
}

/** Like `readPeriod`, but either end may be null for no limit, and `finish` may equal `start`. */
export function readOpenPeriod(sent: Record<End, string | null>, zone: string, readTime: ReadTime = readMoment): Record<End, Date | null> {
  const read = (end: End, text: string | null) => (text === null ? null : readEnd(end, text, zone, readTime));
  const period = { start: read('start', sent.start), finish: read('finish', sent.finish) };
  if (period.start && period.finish && period.start > period.finish) {
    throw ruleViolation('finish', 'order', 'finish must not be before start');
  }
  return period;
}

function readEnd(end: End, text: string, zone: string, readTime: ReadTime): Date {
  const time = readTime(text, zone, end);
  if (!time) throw ruleViolation(end, 'no_such_time', `${text} does not exist in ${zone}`);
  return time;
}
