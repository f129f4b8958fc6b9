/** The API writes local times of the event as `2026-12-12 21:00:00`. These functions calculate with them as if they were UTC. */
const asUtc = (text: string): number => Date.parse(`${text.replace(' ', 'T')}Z`);
const hourMs = 3_600_000;
const minuteMs = 60_000;

const textOf = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');

/** What the clocks in a time zone show now, in full minutes. */
export function localNow(timezone: string, at = new Date()): string {
  const text = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium', timeZone: timezone }).format(at);
  return `${text.slice(0, 16)}:00`;
}

/** The instant of a local time, as the API writes instants: `2026-12-13T00:00:00.000Z`. */
export function instantOf(text: string, timezone: string): string {
  const wanted = asUtc(text);
  const offsetAt = (ms: number) => asUtc(localNow(timezone, new Date(ms))) - Math.floor(ms / minuteMs) * minuteMs;
  // The offset of the wanted time can differ from that of the first guess, if the clocks change in between.
  const guess = wanted - offsetAt(wanted);
  return new Date(wanted - offsetAt(guess)).toISOString();
}

export const addHours = (text: string, hours: number): string => textOf(asUtc(text) + hours * hourMs);

export const hoursBetween = (start: string, finish: string): number => (asUtc(finish) - asUtc(start)) / hourMs;

/** A Saturday evening about six weeks after `now`. Most events take place then, and six weeks are enough to sell the tickets. */
export function usualStart(now: string): string {
  const day = new Date(asUtc(now) + 42 * 24 * hourMs);
  day.setUTCDate(day.getUTCDate() + ((6 - day.getUTCDay() + 7) % 7));
  return `${day.toISOString().slice(0, 10)} 21:00:00`;
}
