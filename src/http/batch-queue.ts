import { availableParallelism } from 'node:os';
import { callerKey } from '../kernel/act.ts';
import { type Problem, retryLater } from '../kernel/problem.ts';
import type { TraceContext } from '../kernel/tracing.ts';
import type { OperationResponse, PendingRequest } from './run-operation.ts';

/** @public The benchmark changes these limits to compare with one transaction per request. */
export const batchLimits = {
  size: 256,
  /** The maximum size of a batch with several events. A larger batch would hold the locks of all its events for longer. */
  sharedSize: 64,
  /** With two batches of a queue in flight, the database works on one while the responses of the other are sent. */
  inFlight: 2,
  /** The minimum size of a second batch of the same queue while the first is in flight. */
  further: 64,
  /** Batches that rarely lock the same rows can overlap more. */
  inFlightLowContention: 3,
  /** The maximum number of batches that run at the same time. More batches would be smaller and compete for the CPU. */
  running: Math.min(8, availableParallelism() + 1),
  /** The share of the database connections that running and stalled batches may use. The other connections are left for reads. */
  openShare: 0.5,
  /**
   * A batch that takes longer fails, and its connection is dropped. The time is more than the lock timeout of 10 s, so a batch that waits for
   * a lock gets the error of the server first.
   */
  deadlineMs: 15_000,
};

/** Requests that would wait longer, or have waited longer, get 503. Their clients have probably given up. */
export const maxWaitMs = 1_000;
export const maxWaitingPerQueue = 4_096;
export const maxWaiting = 16_384;
const maxRetryAfterS = 10;
/** The speed of a small batch says little about the speed of a large batch, so the estimate assumes at least this size. */
const minEstimatedSize = 64;

export interface Member {
  request: PendingRequest;
  /** The batch key. */
  eventId: number;
  since: number;
  /** Null without tracing. */
  trace: TraceContext | null;
  resolve(response: OperationResponse): void;
  reject(error: unknown): void;
}

/** The waiting requests of one event. */
export interface Queue {
  waiting: Member[];
  /** The sizes of the batches in flight. */
  inFlight: number[];
  /** Moving averages: time per batch, requests per batch, and refused requests per batch. */
  msPerBatch: number;
  sizePerBatch: number;
  refusedPerBatch: number;
  refused: number;
  endedAt: number;
}

export const newQueue = (): Queue => ({
  waiting: [],
  inFlight: [],
  msPerBatch: 0,
  sizePerBatch: 0,
  refusedPerBatch: 0,
  refused: 0,
  endedAt: 0,
});

/** `Retry-After` grows with the share of refused requests, because refusing them takes time from the others. */
export function tooMany(queue: Queue): Problem {
  queue.refused++;
  const seconds = Math.min(1 + queue.refusedPerBatch / Math.max(queue.sizePerBatch, 1), maxRetryAfterS);
  return retryLater('overloaded', seconds, 'Too many requests are waiting. Try again later.');
}

export function expectedWait({ waiting, inFlight, msPerBatch, sizePerBatch }: Queue): number {
  return msPerBatch * (inFlight.length + waiting.length / Math.max(sizePerBatch, minEstimatedSize));
}

/**
 * Updates the moving averages. The last batch has a weight of one third. Its time begins when its oldest request arrived, or later when the
 * previous batch ended.
 */
export function updatePace(queue: Queue, size: number, oldest: number): void {
  const now = performance.now();
  queue.msPerBatch += (now - Math.max(oldest, queue.endedAt) - queue.msPerBatch) / 3;
  queue.sizePerBatch += (size - queue.sizePerBatch) / 3;
  queue.refusedPerBatch += (queue.refused - queue.refusedPerBatch) / 3;
  queue.refused = 0;
  queue.endedAt = now;
}

/** Returns the number of refused requests. */
export function refuseLongWaiting(queue: Queue): number {
  const latest = performance.now() - maxWaitMs;
  const kept = queue.waiting.findIndex(({ since }) => since >= latest);
  const refused = queue.waiting.splice(0, kept < 0 ? queue.waiting.length : kept);
  for (const { reject } of refused) reject(tooMany(queue));
  return refused.length;
}

/** A further batch must be at least as large as the first batch in flight. With high contention its size must also reach `batchLimits.further`. */
export function isReady({ waiting, inFlight }: Queue, lowContention = false): boolean {
  const [first] = inFlight;
  if (first === undefined) return waiting.length > 0;
  const maxInFlight = lowContention ? batchLimits.inFlightLowContention : batchLimits.inFlight;
  return inFlight.length < maxInFlight && waiting.length >= Math.max(first, lowContention ? 1 : batchLimits.further);
}

/**
 * Takes the next requests from the queue. Of two requests with the same idempotency key, the second stays for the next batch, where it gets
 * the stored response of the first.
 */
export function takeBatch(queue: Queue, room: number, sizeOf: (request: PendingRequest) => number): Member[] {
  const keys = new Set<string>();
  const batch: Member[] = [];
  const later: Member[] = [];
  let left = room;
  for (const member of queue.waiting) {
    const { idempotency, act } = member.request;
    const key = idempotency && `${callerKey(act.actor)} ${idempotency.key}`;
    if (left <= 0 || (key !== null && keys.has(key))) {
      later.push(member);
    } else {
      batch.push(member);
      left -= sizeOf(member.request);
    }
    if (key !== null) keys.add(key);
  }
  queue.waiting = later;
  return batch;
}
