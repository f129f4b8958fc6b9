import { ruleViolation } from '../kernel/problem.ts';
import { readDay, readMoment, toWallClock } from '../kernel/wall-clock.ts';

export interface Period {
  start: Date | null;
  finish: Date | null;
}

/** As it is sent: what is left out stays as it was, null clears it. */
export interface SentPeriod {
  start?: string | null;
  finish?: string | null;
}

/** The period that `sent` makes of the one `known` so far. */
export function readPeriod(sent: SentPeriod, known: Period, zone: string): Period {
  const read = (field: 'start' | 'finish', text: string | null | undefined): Date | null => {
    if (text === undefined) return known[field];
    if (text === null) return null;
    const moment = readDayOrMoment(field, text, zone);
    if (!moment) throw ruleViolation(field, 'no_such_time', `${text} does not exist in ${zone}`);
    return moment;
  };
  const period = { start: read('start', sent.start), finish: read('finish', sent.finish) };
  if (period.start && period.finish && period.start > period.finish) {
    throw ruleViolation('finish', 'order', 'finish must not be before start');
  }
  return period;
}

const isDay = (text: string): boolean => text.length === 'YYYY-MM-DD'.length;

/** A day starts with its first second and finishes with its last. Only whole seconds are kept, as only those are read back. */
function readDayOrMoment(field: 'start' | 'finish', text: string, zone: string): Date | null {
  if (isDay(text)) return readDay(text, zone)?.[field === 'start' ? 'first' : 'last'] ?? null;
  const moment = readMoment(text, zone);
  return moment && new Date(Math.floor(moment.getTime() / 1000) * 1000);
}

/** A start that is sent must not be before today, as the calendar at the event has it. */
export function requireStartFromToday({ start }: SentPeriod, period: Period, at: Date, zone: string): void {
  if (!start || !period.start) return;
  const day = (moment: Date): string => toWallClock(moment, zone).slice(0, 10);
  const today = day(at);
  if (day(period.start) < today) throw ruleViolation('start', 'past', `start must not be before today, ${today} in ${zone}`);
}
