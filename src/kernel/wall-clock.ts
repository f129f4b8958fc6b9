import { Temporal } from 'temporal-polyfill';

/** A date and time as it stands on the wall at the event: `YYYY-MM-DD HH:MM:SS`, in the event's time zone. */
export type WallClock = string & { readonly wallClock: unique symbol };

export function isTimeZone(zone: string): boolean {
  try {
    // Of what `Intl` knows this leaves out old abbreviations; offsets such as +03:00 are accepted by both, and are no place.
    return /^[A-Z]/i.test(new Temporal.ZonedDateTime(0n, zone).timeZoneId);
  } catch {
    return false;
  }
}

/** Null for what the clock never shows: a date that does not exist, or an hour that daylight saving leaps over. */
export function toInstant(wallClock: string, zone: string): Date | null {
  try {
    const plain = Temporal.PlainDateTime.from(wallClock.replace(' ', 'T'), { overflow: 'reject' });
    // Of an hour that comes twice the first one counts.
    const zoned = plain.toZonedDateTime(zone, { disambiguation: 'earlier' });
    return zoned.toPlainDateTime().equals(plain) ? new Date(zoned.epochMilliseconds) : null;
  } catch {
    return null;
  }
}

/** A time as it may be sent: on the wall in `zone`, or RFC 3339, which says its own offset. Null for one that does not exist. */
export function readMoment(text: string, zone: string): Date | null {
  if (!text.includes('T')) return toInstant(text, zone);
  try {
    return new Date(Temporal.Instant.from(text).epochMilliseconds);
  } catch {
    return null;
  }
}

/** The first and the last second of a day in `zone`; null for a day that does not exist there. */
export function readDay(day: string, zone: string): { first: Date; last: Date } | null {
  try {
    const date = Temporal.PlainDate.from(day);
    // Where the clock leaps over midnight the day begins later, and where an hour comes twice before midnight it ends with the second one.
    const start = date.toZonedDateTime(zone);
    const next = date.add({ days: 1 }).toZonedDateTime(zone);
    if (!start.toPlainDate().equals(date)) return null;
    return { first: new Date(start.epochMilliseconds), last: new Date(next.epochMilliseconds - 1000) };
  } catch {
    return null;
  }
}

export function toWallClock(instant: Date, zone: string): WallClock {
  const plain = Temporal.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(zone).toPlainDateTime();
  return plain.toString({ smallestUnit: 'second' }).replace('T', ' ') as WallClock;
}
