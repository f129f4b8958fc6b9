/** How busy a process is. */
export interface Load {
  /** 1 means that the process cannot serve more. */
  pressure: number;
  /** Orders per minute that the process could place. Null if it placed too few lately to know it. */
  capacity: number | null;
}

export interface Measured {
  /** How late timers fire (99th percentile). A busy event loop delays all requests. */
  eventLoopDelayMs: number;
  /** The longest wait of an order for its batch. */
  batchWaitMs: number;
  /** How long a small query took, with the wait for a connection. */
  databaseMs: number;
  /** Orders, how long batches of orders were open, and the time in which this was measured. */
  orders: number;
  busyMs: number;
  elapsedMs: number;
}

/** With one of these values the process still serves everybody. With more it soon refuses requests: orders wait at most 1 s for a batch. */
const limits = { eventLoopDelayMs: 200, batchWaitMs: 400, databaseMs: 200 };
const minuteMs = 60_000;

export function loadOf({ eventLoopDelayMs, batchWaitMs, databaseMs, orders, busyMs, elapsedMs }: Measured): Load {
  const pressure = Math.max(eventLoopDelayMs / limits.eventLoopDelayMs, batchWaitMs / limits.batchWaitMs, databaseMs / limits.databaseMs);
  // Batches that come now and then are small, and small batches make the capacity look smaller than it is.
  const isKnown = orders > 0 && busyMs >= elapsedMs / 2;
  return { pressure, capacity: isKnown ? (orders / busyMs) * minuteMs : null };
}

const target = 0.75;
const slowest = 30;
const fastest = 60_000;
/** A step up is small, because its effect shows only when the admitted visitors order. A step down may be large. */
const maxStep = { up: 1.25, upWhenIdle: 1.5, down: 0.5 };

/**
 * Returns the next rate. It moves the pressure towards 75 % of what the busiest process can serve, and it never exceeds 75 % of the orders
 * that all processes together could place.
 */
export function nextRate(current: number, loads: readonly Load[]): number {
  const pressure = Math.max(0.01, ...loads.map((load) => load.pressure));
  const capacities = loads.flatMap(({ capacity }) => capacity ?? []);
  const capacity = capacities.length === 0 ? fastest : capacities.reduce((sum, each) => sum + each, 0);
  const up = pressure < target / 2 ? maxStep.upWhenIdle : maxStep.up;
  const step = Math.min(up, Math.max(maxStep.down, target / pressure));
  return Math.round(Math.max(slowest, Math.min(fastest, current * step, capacity * target)));
}

/** A change of less than 5 % is not worth a new public file. */
export const isWorthwhile = (current: number, next: number): boolean => Math.abs(next - current) >= current * 0.05;
