import { randomUUID } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { LaneLoad } from '../http/batch-monitor.ts';
import type { Database } from '../postgres/database.ts';
import { adjustEveryMs, adjustRates, drawDueRooms } from './adjust-rate.ts';
import { loadOf } from './automatic-rate.ts';

interface Setup {
  db: Database;
  clock: () => Date;
  batches: { takeLoad(operation: string): LaneLoad | null };
  log: { error(facts: object, message: string): void };
}

const tickMs = 1_000;
const noOrders: LaneLoad = { requests: 0, busyMs: 0, longestWaitMs: 0 };

/**
 * Opens waiting rooms in time, and reports how busy this process is to those that choose their rate. Returns a function that stops it. It runs
 * in the processes that take orders, because it measures their load.
 */
export function startWaitingRooms({ db, clock, batches, log }: Setup): () => Promise<void> {
  const process = randomUUID();
  const delays = monitorEventLoopDelay({ resolution: 10 });
  delays.enable();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let adjustedAt = performance.now();

  async function tick(): Promise<void> {
    const began = performance.now();
    await drawDueRooms(db, clock());
    const databaseMs = performance.now() - began;
    const elapsedMs = began - adjustedAt;
    if (elapsedMs < adjustEveryMs) return;
    adjustedAt = began;
    const { requests: orders, busyMs, longestWaitMs: batchWaitMs } = batches.takeLoad('createOrder') ?? noOrders;
    // The monitor measures intervals, so its own resolution is part of each value.
    const eventLoopDelayMs = Math.max(0, delays.percentile(99) / 1e6 - 10);
    delays.reset();
    await adjustRates(db, clock(), process, loadOf({ eventLoopDelayMs, batchWaitMs, databaseMs, orders, busyMs, elapsedMs }));
  }

  async function round(): Promise<void> {
    await tick().catch((error: unknown) => log.error({ err: error }, 'waiting rooms failed'));
    if (!stopped) timer = setTimeout(begin, tickMs);
  }
  let current = round();
  function begin(): void {
    current = round();
  }
  return async () => {
    stopped = true;
    clearTimeout(timer);
    delays.disable();
    await current;
  };
}
