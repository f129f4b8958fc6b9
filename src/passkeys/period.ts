import { readOpenPeriod } from '../kernel/period.ts';
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

/** Applies the sent changes to the current period. */
export function readPeriod(sent: SentPeriod, current: Period, zone: string): Period {
  const unchanged = { start: current.start?.toISOString() ?? null, finish: current.finish?.toISOString() ?? null };
  return readOpenPeriod({ ...unchanged, ...sent }, zone, readDayOrMoment);
}

const isDay = (text: string): boolean => text.length === 'YYYY-MM-DD'.length;

/** A day starts with its first second and finishes with its last. Fractions of a second are dropped, because responses do not show them. */
function readDayOrMoment(text: string, zone: string, end: 'start' | 'finish'): Date | null {
  if (isDay(text)) return readDay(text, zone)?.[end === 'start' ? 'first' : 'last'] ?? null;
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
