import { Temporal } from 'temporal-polyfill';

/** Local date and time in the event's time zone: `YYYY-MM-DD HH:MM:SS`. */
export type WallClock = string & { readonly wallClock: unique symbol };

export function isTimeZone(zone: string): boolean {
  try {
    // Temporal refuses old abbreviations that `Intl` accepts. But Temporal accepts offsets such as +03:00, which are not time zones.
    return /^[A-Z]/i.test(new Temporal.ZonedDateTime(0n, zone).timeZoneId);
  } catch {
    return false;
  }
}

/** Returns null for a local time that does not exist: an invalid date, or an hour that daylight saving time skips. */
export function toInstant(wallClock: string, zone: string): Date | null {
  try {
    const plain = Temporal.PlainDateTime.from(wallClock.replace(' ', 'T'), { overflow: 'reject' });
    // When clocks are set back, an hour occurs twice. The first occurrence is used.
    const zoned = plain.toZonedDateTime(zone, { disambiguation: 'earlier' });
    return zoned.toPlainDateTime().equals(plain) ? new Date(zoned.epochMilliseconds) : null;
  } catch {
    return null;
  }
}

/** Parses local time in `zone`, or RFC 3339 with an offset. Returns null for a time that does not exist. */
export function readMoment(text: string, zone: string): Date | null {
  if (!text.includes('T')) return toInstant(text, zone);
  try {
    return new Date(Temporal.Instant.from(text).epochMilliseconds);
  } catch {
    return null;
  }
}

/** The first and the last second of a day in `zone`. Returns null for a day that does not exist in that zone. */
export function readDay(day: string, zone: string): { first: Date; last: Date } | null {
  try {
    const date = Temporal.PlainDate.from(day);
    // A day starts after 00:00 if clocks are set forward at midnight. The last second is counted back from the next day, because the last
    // hour of a day may occur twice.
    const start = date.toZonedDateTime(zone);
    const next = date.add({ days: 1 }).toZonedDateTime(zone);
    if (!start.toPlainDate().equals(date)) return null;
    return { first: new Date(start.epochMilliseconds), last: new Date(next.epochMilliseconds - 1000) };
  } catch {
    return null;
  }
}

/** The start of the local hour or day, some days earlier or later. */
export function startOf(unit: 'hour' | 'day', instant: Date, days: number, zone: string): Date {
  const zoned = Temporal.Instant.fromEpochMilliseconds(shiftDays(instant, days, zone).getTime()).toZonedDateTimeISO(zone);
  // The start of a day is not always 00:00, and rounding finds it.
  return new Date(zoned.round({ smallestUnit: unit, roundingMode: 'floor' }).epochMilliseconds);
}

/** Moves a time by whole days and keeps its local time, even if the offset of the zone changes in between. */
function shiftDays(instant: Date, days: number, zone: string): Date {
  const zoned = Temporal.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(zone);
  return new Date(zoned.add({ days }).epochMilliseconds);
}

/**
 * Moves a period by whole days and keeps its local times. If a local time does not exist on the new day, the later hour is used. A short period
 * that would then end before it starts keeps its length.
 */
export function shiftPeriod({ starts_at, finishes_at }: { starts_at: Date; finishes_at: Date }, days: number, zone: string) {
  const [start, finish] = [shiftDays(starts_at, days, zone), shiftDays(finishes_at, days, zone)];
  const length = finishes_at.getTime() - starts_at.getTime();
  return { starts_at: start, finishes_at: finish > start ? finish : new Date(start.getTime() + length) };
}

/** One formatter for each time zone: making one is slow, and formatting with it is ten times faster than with Temporal. */
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(zone: string): Intl.DateTimeFormat {
  const known = formatters.get(zone);
  if (known) return known;
  const twoDigits = { month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit' } as const;
  // Swedish writes dates as `YYYY-MM-DD HH:MM:SS`.
  const formatter = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, year: 'numeric', ...twoDigits, hourCycle: 'h23' });
  formatters.set(zone, formatter);
  return formatter;
}

/** Before the Gregorian calendar, `Intl` counts the days in another way than Temporal, which reads them. */
const gregorianFrom = Date.UTC(1600, 0, 1);

export function toWallClock(instant: Date, zone: string): WallClock {
  if (instant.getTime() >= gregorianFrom) return formatterOf(zone).format(instant) as WallClock;
  const plain = Temporal.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(zone).toPlainDateTime();
  return plain.toString({ smallestUnit: 'second' }).replace('T', ' ') as WallClock;
}
