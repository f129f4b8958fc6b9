/** Intl objects are expensive to create, so each kind is created once per language. */
const known = new Map<string, Intl.DateTimeFormat | Intl.NumberFormat>();

function formatter<T extends Intl.DateTimeFormat | Intl.NumberFormat>(key: string, create: () => T): T {
  const found = known.get(key) ?? create();
  known.set(key, found);
  return found as T;
}

/** Formats an amount in cents, for example `R$ 88,00`. */
export const money = (cents: number, currency: string, locale: string): string =>
  formatter(
    `${locale} ${currency}`,
    () => new Intl.NumberFormat(locale, { style: 'currency', currency, currencyDisplay: 'narrowSymbol' }),
  ).format(cents / 100);

/**
 * The API sends local times of the event without an offset, such as `2026-12-12 21:00:00`. They are read and formatted as if they were UTC,
 * so that every reader sees the time at the venue.
 */
const wallClock = (text: string): Date => new Date(`${text.replace(' ', 'T')}Z`);

const styles = {
  /** Sat, Dec 12 */
  day: { weekday: 'short', day: 'numeric', month: 'short' },
  /** Saturday, December 12, 2026 */
  fullDay: { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' },
  /** Dec 12 */
  shortDay: { day: 'numeric', month: 'short' },
  time: { hour: 'numeric', minute: '2-digit' },
  /** Sat, Dec 12, 09:00 PM */
  moment: { weekday: 'short', day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' },
  /** Saturday, December 12, 9:00 PM */
  longMoment: { weekday: 'long', day: 'numeric', month: 'long', hour: 'numeric', minute: '2-digit' },
  shortMoment: { day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' },
  /** Dec 12, 2026, 9:00 PM */
  yearMoment: { day: 'numeric', month: 'short', year: 'numeric', hour: 'numeric', minute: '2-digit' },
  /** Dec 12, 2026 */
  yearDay: { day: 'numeric', month: 'short', year: 'numeric' },
  dayNumber: { day: 'numeric' },
  month: { month: 'short' },
  weekday: { weekday: 'short' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

export type DateStyle = keyof typeof styles;

const dates = (style: DateStyle, locale: string): Intl.DateTimeFormat =>
  formatter(`${locale} ${style}`, () => new Intl.DateTimeFormat(locale, { ...styles[style], timeZone: 'UTC' }));

export const date = (text: string, style: DateStyle, locale: string): string => dates(style, locale).format(wallClock(text));

/** Abbreviations without their full stop, for places where they stand alone: `dez.` becomes `dez`. */
export const bareDate = (text: string, style: DateStyle, locale: string): string => date(text, style, locale).replace(/\.$/, '');

const hourMs = 3_600_000;

/**
 * The day of an event, or its first and last day, with the year unless it is this year. A night that ends in the morning is one day: it
 * counts as the day on which it starts.
 */
export function dayRange(start: string, finish: string, locale: string, now = new Date()): string {
  const [from, to] = [wallClock(start), wallClock(finish)];
  const isThisYear = from.getUTCFullYear() === now.getUTCFullYear();
  if (to.getTime() - from.getTime() < 24 * hourMs) return date(start, isThisYear ? 'day' : 'yearDay', locale);
  return dates(isThisYear ? 'shortDay' : 'yearDay', locale).formatRange(from, new Date(to.getTime() - 6 * hourMs));
}

/** A time span as a clock, such as `9:05` or `23:59:59`. */
export function clockTime(seconds: number): string {
  const [hours, minutes, rest] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (value: number) => String(value).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

/** An instant of the API, such as `2026-11-15T12:00:00.000Z`, in the time zone of the reader, or of the event if `timeZone` is given. */
export const instant = (text: string, style: DateStyle, locale: string, timeZone?: string): string =>
  formatter(
    `${locale} ${style} ${timeZone ?? 'own'}`,
    () => new Intl.DateTimeFormat(locale, { ...styles[style], ...(timeZone && { timeZone }) }),
  ).format(new Date(text));
