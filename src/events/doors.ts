/** When the doors of a session open. `minutes` is `doorsOpen` of the event; null if the event does not say it. */
export const doorsOpenAt = (startsAt: Date, minutes: number | null): Date | null =>
  minutes === null ? null : new Date(startsAt.getTime() - minutes * 60_000);
