/** The clock of the server. The clock of a phone may be wrong, and the hold ends by the clock of the server. */
export interface ServerClock {
  now(): number;
  /** Takes the time of a response. Its header has whole seconds, so smaller differences are ignored. */
  sync(date: string | null): void;
}

const toleranceMs = 1_500;

export function createClock(serverNow: string): ServerClock {
  let offset = Date.parse(serverNow) - Date.now();
  return {
    now: () => Date.now() + offset,
    sync: (date) => {
      const next = Date.parse(date ?? '') - Date.now();
      if (Math.abs(next - offset) > toleranceMs) offset = next;
    },
  };
}
