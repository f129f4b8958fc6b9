import { readOpenPeriod } from '../kernel/period.ts';
import { ruleViolation } from '../kernel/problem.ts';
import { readDay, readMoment, toWallClock } from '../kernel/wall-clock.ts';

export interface Period {
  start: Date | null;
  finish: Date | null;
}

/** The period in a request. A field that is left out keeps its value; null clears it. */
export interface SentPeriod {
  start?: string | null;
  finish?: string | null;
}

/** Applies the sent changes to the current period. */
export function readPeriod(sent: SentPeriod, current: Period, zone: string): Period {
  const unchanged = { start: current.start?.toISOString() ?? null, finish: current.finish?.toISOString() ?? null };
  return readOpenPeriod({ ...unchanged, ...sent }, zone, readDayOrMoment);
}

const isDay = (text: string): boolean => text.length === 'YYYY-MM-DD'.length;

/**
 * A date without a time means the first second of the day for `start`, and the last for `finish`. Fractions of a second are dropped,
 * because responses do not contain them.
 */
function readDayOrMoment(text: string, zone: string, end: 'start' | 'finish'): Date | null {
  if (isDay(text)) return readDay(text, zone)?.[end === 'start' ? 'first' : 'last'] ?? null;
  const moment = readMoment(text, zone);
  return moment && new Date(Math.floor(moment.getTime() / 1000) * 1000);
}

/** A `start` in the request must not be before today in the time zone of the event. */
export function requireStartFromToday({ start }: SentPeriod, period: Period, at: Date, zone: string): void {
  if (!start || !period.start) return;
  const day = (moment: Date): string => toWallClock(moment, zone).slice(0, 10);
  const today = day(at);
  if (day(period.start) < today) throw ruleViolation('start', 'past', `start must not be before today, which is ${today} in ${zone}.`);
}
