/** From `since` on, `perMinute` places are admitted per minute, beginning after `fromPlace`. */
export interface Rate {
  since: Date;
  fromPlace: number;
  perMinute: number;
}

/** The waiting room of an event. */
export interface Room {
  eventId: number;
  enabled: boolean;
  opensAt: Date;
  auto: boolean;
  /** The chosen rate. While the room is paused, nobody is admitted. */
  perMinute: number;
  paused: boolean;
  /** How long a visitor may order after entering. See `decideTurn`. */
  minutes: number;
  /** How many open and paid orders one place may have. */
  ordersPerPlace: number;
  seed: Buffer;
  /** The first number of this room. Lower numbers belong to earlier rooms of the event. */
  firstNumber: number;
  /** The last number that was handed out or skipped. */
  lastNumber: number;
  skipped: number;
  /** The last number that takes part in the draw. Null before the opening. */
  drawnTo: number | null;
  /** The rates that matter for visitors who may still enter, oldest first. The last rate holds now. */
  rates: readonly Rate[];
}

const minuteMs = 60_000;

export const isOpen = ({ opensAt }: Pick<Room, 'opensAt'>, at: Date): boolean => opensAt <= at;

/** Returns the current rate. A room always has one: the first begins at the opening. */
export function currentRate({ rates, opensAt, firstNumber }: Room): Rate {
  return rates.at(-1) ?? { since: opensAt, fromPlace: firstNumber - 1, perMinute: 0 };
}

/** Returns the exact watermark. Places up to the watermark are admitted. A fraction counts when the rate changes. */
export function exactWatermark(room: Room, at: Date): number {
  const { since, fromPlace, perMinute } = currentRate(room);
  return fromPlace + (perMinute * Math.max(0, at.getTime() - since.getTime())) / minuteMs;
}

const watermark = (room: Room, at: Date): number => Math.floor(exactWatermark(room, at));

/**
 * Returns when the turn of a place comes or came. Null if the room is paused and the turn has not come. Turns before the oldest known rate
 * are reported as its beginning: they ended long ago.
 */
function turnOf({ rates }: Pick<Room, 'rates'>, place: number): Date | null {
  for (const [i, { since, fromPlace, perMinute }] of rates.entries()) {
    if (place <= fromPlace) return since;
    const next = rates[i + 1];
    if (next && place > next.fromPlace) continue;
    if (perMinute === 0) return next?.since ?? null;
    return new Date(since.getTime() + Math.ceil(((place - fromPlace) * minuteMs) / perMinute));
  }
  return null;
}

type PlaceState = 'drawing' | 'waiting' | 'admitted' | 'missed';

export interface Turn {
  state: PlaceState;
  /** When the turn came, or will come at the current rate. */
  at: Date | null;
  /** Until when an admission that is issued now is valid. */
  validTo: Date | null;
}

/**
 * An admission is valid for `minutes`, and ends at the latest twice `minutes` after the turn has come. Until then a visitor who looked away
 * can still enter, and a visitor who changes the device can enter again. This needs no record of who has entered.
 */
export function decideTurn(room: Room, place: number | null, now: Date): Turn {
  if (place === null || !isOpen(room, now)) return { state: 'drawing', at: null, validTo: null };
  const at = turnOf(room, place);
  if (at === null || at > now) return { state: 'waiting', at, validTo: null };
  const allowed = room.minutes * minuteMs;
  const waited = now.getTime() - at.getTime();
  if (waited >= 2 * allowed) return { state: 'missed', at, validTo: null };
  return { state: 'admitted', at, validTo: new Date(Math.min(now.getTime() + allowed, at.getTime() + 2 * allowed)) };
}

/** How many visitors wait, and how many were admitted. */
export function countVisitors(room: Room, at: Date): { waiting: number; admitted: number } {
  const { firstNumber, lastNumber, skipped } = room;
  const reached = isOpen(room, at) ? Math.min(lastNumber, watermark(room, at)) : firstNumber - 1;
  return { waiting: lastNumber - reached, admitted: Math.max(0, reached - firstNumber + 1 - skipped) };
}

/**
 * Returns the numbers for new visitors. If all places have been admitted, the numbers continue at the watermark: otherwise a quiet hour would
 * let a crowd in at once.
 */
export function nextNumbers(room: Room, count: number, at: Date): { first: number; last: number; skipped: number } {
  const from = isOpen(room, at) ? Math.max(room.lastNumber, watermark(room, at)) : room.lastNumber;
  return { first: from + 1, last: from + count, skipped: from - room.lastNumber };
}
