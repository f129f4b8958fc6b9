import type { Tx } from '../postgres/database.ts';
import { runPipeline } from '../postgres/pipeline.ts';
import { gateCounts, guestCounts, type MinuteCount, minuteCounts } from './counters.sql.ts';
import type { Counters } from './counters-contract.ts';

const minuteMs = 60_000;
const shownMinutes = 30;

/** Returns how many guests are expected and admitted, by gate and by minute. Devices ask for it every few seconds. */
export async function getCounters(tx: Tx, at: Date, eventId: number, sessionId: number | null): Promise<Counters> {
  const end = (Math.floor(at.getTime() / minuteMs) + 1) * minuteMs;
  const start = end - shownMinutes * minuteMs;
  const [guests, gates, minutes] = await runPipeline(tx, [
    guestCounts(eventId, sessionId),
    gateCounts(eventId, sessionId),
    minuteCounts(eventId, sessionId, new Date(start), new Date(end)),
  ]);
  return {
    inside: guests.inside,
    expected: guests.expected,
    admitted: guests.admitted,
    gates,
    minutes: everyMinute(start, minutes),
    now: at.toISOString(),
  };
}

/** Adds the minutes without entries, so that the app can draw them. */
function everyMinute(start: number, counted: readonly MinuteCount[]): Counters['minutes'] {
  const byMinute = new Map(counted.map(({ minute, admitted }) => [minute.getTime(), admitted]));
  return Array.from({ length: shownMinutes }, (_, i) => {
    const minute = start + i * minuteMs;
    return { minute: new Date(minute).toISOString(), admitted: byMinute.get(minute) ?? 0 };
  });
}
