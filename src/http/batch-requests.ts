import { availableParallelism } from 'node:os';
import { callerKey } from '../kernel/act.ts';
import { batchedLookup } from '../kernel/batched-lookup.ts';
import { Problem, retryLater } from '../kernel/problem.ts';
import type { Database, Tx } from '../postgres/database.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { isLockTimeout, isUnavailable } from '../postgres/unavailable.ts';
import type { BatchedHandler } from './capability.ts';
import { claimKeys } from './idempotency.ts';
import { checkVersion, type Operation, type OperationResponse, type PendingRequest, toResponse } from './run-operation.ts';
import { type HttpResponse, problemResponse } from './stored-response.ts';

/**
 * The lock timeout of a batch with several events. After this time the batch is split by event, so that no event waits for the lock of
 * another event.
 */
const sharedLockMs = 100;
/** A batch that runs longer than this probably waits for a lock. It no longer counts as running, so that other batches can start. */
const stalledMs = 100;

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
  /** The maximum number of running and stalled batches. */
  open: 10,
  /**
   * A batch that takes longer fails, and its connection is dropped. The time is more than the lock timeout of 10 s, so a batch that waits for
   * a lock gets the error of the server first.
   */
  deadlineMs: 15_000,
};

const responsesPerTurn = 32;
/** Requests that would wait longer, or have waited longer, get 503. Their clients have probably given up. */
const maxWaitMs = 1_000;
const maxWaitingPerQueue = 4_096;
const maxWaiting = 16_384;
const maxRetryAfterS = 10;
/** The speed of a small batch says little about the speed of a large batch, so the estimate assumes at least this size. */
const minEstimatedSize = 64;

interface Member {
  request: PendingRequest;
  /** The batch key. */
  eventId: number;
  since: number;
  resolve(response: OperationResponse): void;
  reject(error: unknown): void;
}

/** The waiting requests of one event. */
interface Queue {
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

const newQueue = (): Queue => ({
  waiting: [],
  inFlight: [],
  msPerBatch: 0,
  sizePerBatch: 0,
  refusedPerBatch: 0,
  refused: 0,
  endedAt: 0,
});

/** The requests that a batch takes from one queue. */
interface BatchShare {
  queue: Queue;
  members: Member[];
  /** When the first request arrived. */
  since: number;
}

interface BatcherOptions {
  /** Whether requests that would wait too long get 503. */
  shedding: boolean;
  /** On Citus, events are on different nodes, and a statement cannot lock rows on several nodes. */
  oneEventPerBatch: boolean;
  /** The maximum number of running and stalled batches, if it is less than the general one. */
  maxOpen: number;
}

/**
 * Runs many requests in one transaction. Requests that arrive while a batch runs form the next batch; a single request starts at once.
 * Each event has a queue. Events with few requests share a batch. If a shared batch runs into a lock timeout, the batch is split by event.
 */
export class RequestBatcher {
  readonly #db: Database;
  readonly #operation: Operation;
  readonly #handler: BatchedHandler;
  readonly #shedding: boolean;
  readonly #oneEventPerBatch: boolean;
  readonly #maxOpen: number;
  readonly #findKey: ((key: number) => Promise<number | undefined>) | null;
  /** Sorted by turn: the next batch starts with the first queue. Empty queues are removed. */
  readonly #queues = new Map<number, Queue>();
  #waiting = 0;
  #running = 0;
  #open = 0;

  constructor(db: Database, operation: Operation, handler: BatchedHandler, { shedding, oneEventPerBatch, maxOpen }: BatcherOptions) {
    this.#db = db;
    this.#operation = operation;
    this.#handler = handler;
    this.#shedding = shedding;
    this.#oneEventPerBatch = oneEventPerBatch;
    this.#maxOpen = maxOpen;
    const { findBatchKeys } = handler;
    this.#findKey = findBatchKeys ? batchedLookup((keys: readonly number[]) => findBatchKeys(db, keys)) : null;
  }

  async run(request: PendingRequest): Promise<OperationResponse> {
    const key = this.#handler.batchKey(request.input as never);
    // Requests for objects that do not exist share the queue 0.
    return this.#enqueue(this.#findKey ? ((await this.#findKey(key)) ?? 0) : key, request);
  }

  #enqueue(key: number, request: PendingRequest): Promise<OperationResponse> {
    const queue = this.#queues.get(key) ?? newQueue();
    const full = queue.waiting.length >= maxWaitingPerQueue || this.#waiting >= maxWaiting;
    if (full || (this.#shedding && expectedWait(queue) > maxWaitMs)) throw tooMany(queue);
    this.#queues.set(key, queue);
    return new Promise((resolve, reject) => {
      queue.waiting.push({ request, eventId: key, since: performance.now(), resolve, reject });
      this.#waiting++;
      this.#startBatches();
    });
  }

  #startBatches(): void {
    for (const [key, queue] of this.#queues) {
      if (this.#running >= batchLimits.running || this.#open >= Math.min(batchLimits.open, this.#maxOpen)) return;
      if (isReady(queue, this.#handler.lowContention)) void this.#runBatch(key, queue);
    }
  }

  async #runBatch(key: number, queue: Queue): Promise<void> {
    const shares = this.#takeShares(key, queue);
    if (shares.length === 0) return;
    await this.#whileOpen(() => this.#runAndRespond(shares));
    for (const { queue: each, members, since } of shares) {
      each.inFlight.splice(each.inFlight.indexOf(members.length), 1);
      updatePace(each, members.length, since);
    }
    for (const [each, { waiting, inFlight }] of this.#queues) if (waiting.length + inFlight.length === 0) this.#queues.delete(each);
    this.#startBatches();
  }

  /** Takes requests from the given queue. If that queue is not busy, the batch also takes requests from other queues that are not busy. */
  #takeShares(key: number, queue: Queue): BatchShare[] {
    const isBusy = queue.inFlight.length > 0 || queue.waiting.length >= batchLimits.sharedSize;
    const others = isBusy || this.#oneEventPerBatch ? [] : [...this.#queues].filter(([, { inFlight }]) => inFlight.length === 0);
    const shares: BatchShare[] = [];
    let room = isBusy ? batchLimits.size : batchLimits.sharedSize;
    for (const [each, candidate] of new Map([[key, queue], ...others])) {
      if (room <= 0) break;
      const share = this.#takeShare(candidate, room);
      room -= share.members.reduce((sum, { request }) => sum + this.#sizeOf(request), 0);
      // Moves the queue to the end, so that all queues get their turn.
      this.#queues.delete(each);
      this.#queues.set(each, candidate);
      if (share.members.length > 0) shares.push(share);
    }
    for (const { queue: taken, members } of shares) taken.inFlight.push(members.length);
    return shares;
  }

  #takeShare(queue: Queue, room: number): BatchShare {
    const since = queue.waiting[0]?.since ?? 0;
    const before = queue.waiting.length;
    if (this.#shedding) refuseLongWaiting(queue);
    const members = takeBatch(queue, room, (request) => this.#sizeOf(request));
    this.#waiting -= before - queue.waiting.length;
    return { queue, members, since };
  }

  #sizeOf({ input }: PendingRequest): number {
    return this.#handler.size?.(input as never) ?? 1;
  }

  async #whileOpen(work: () => Promise<void>): Promise<void> {
    let running = true;
    const stop = () => {
      if (running) this.#running--;
      running = false;
    };
    this.#open++;
    this.#running++;
    const stalled = setTimeout(() => {
      stop();
      this.#startBatches();
    }, stalledMs);
    await work();
    clearTimeout(stalled);
    stop();
    this.#open--;
  }

  async #runAndRespond(shares: readonly BatchShare[]): Promise<void> {
    const members = shares.flatMap((share) => share.members);
    if (shares.length === 1) return this.#runOwnTransaction(members);
    try {
      await this.#runTransaction(members, sharedLockMs);
    } catch (error) {
      if (isLockTimeout(error)) await Promise.all(shares.map((share) => this.#runOwnTransaction(share.members)));
      else await this.#handleFailure(members, error);
    }
  }

  async #runOwnTransaction(members: readonly Member[]): Promise<void> {
    await this.#runTransaction(members).catch((error: unknown) => this.#handleFailure(members, error));
  }

  /**
   * If the database is unavailable, all requests of the batch fail. Otherwise each request is retried alone, so that one bad request does not
   * make the others fail.
   */
  async #handleFailure(members: readonly Member[], error: unknown): Promise<void> {
    const forAll = isUnavailable(error) || (error instanceof Problem && error.status >= 500);
    if (members.length === 1 || forAll) for (const member of members) member.reject(error);
    else for (const member of members) await this.#runOwnTransaction([member]);
  }

  async #runTransaction(members: readonly Member[], lockTimeoutMs?: number): Promise<void> {
    const responses = await executeBatch(this.#db, this.#operation, this.#handler, members, lockTimeoutMs);
    respondInTurns(members.map((member, i) => () => member.resolve(responses[i] as OperationResponse)));
  }
}

/** `Retry-After` grows with the share of refused requests, because refusing them takes time from the others. */
function tooMany(queue: Queue): Problem {
  queue.refused++;
  const seconds = Math.min(1 + queue.refusedPerBatch / Math.max(queue.sizePerBatch, 1), maxRetryAfterS);
  return retryLater('overloaded', seconds, 'Too many requests are waiting. Try again later.');
}

function expectedWait({ waiting, inFlight, msPerBatch, sizePerBatch }: Queue): number {
  return msPerBatch * (inFlight.length + waiting.length / Math.max(sizePerBatch, minEstimatedSize));
}

/**
 * Updates the moving averages. The last batch has a weight of one third. Its time begins when its oldest request arrived, or later when the
 * previous batch ended.
 */
function updatePace(queue: Queue, size: number, oldest: number): void {
  const now = performance.now();
  queue.msPerBatch += (now - Math.max(oldest, queue.endedAt) - queue.msPerBatch) / 3;
  queue.sizePerBatch += (size - queue.sizePerBatch) / 3;
  queue.refusedPerBatch += (queue.refused - queue.refusedPerBatch) / 3;
  queue.refused = 0;
  queue.endedAt = now;
}

function refuseLongWaiting(queue: Queue): void {
  const latest = performance.now() - maxWaitMs;
  const kept = queue.waiting.findIndex(({ since }) => since >= latest);
  for (const { reject } of queue.waiting.splice(0, kept < 0 ? queue.waiting.length : kept)) reject(tooMany(queue));
}

/** A further batch must be at least as large as the first batch in flight. With high contention its size must also reach `batchLimits.further`. */
function isReady({ waiting, inFlight }: Queue, lowContention = false): boolean {
  const [first] = inFlight;
  if (first === undefined) return waiting.length > 0;
  const maxInFlight = lowContention ? batchLimits.inFlightLowContention : batchLimits.inFlight;
  return inFlight.length < maxInFlight && waiting.length >= Math.max(first, lowContention ? 1 : batchLimits.further);
}

/** Sends a few responses per turn of the event loop, so that the next batch can start before all responses are sent. */
function respondInTurns(responses: (() => void)[]): void {
  for (const respond of responses.splice(0, responsesPerTurn)) respond();
  if (responses.length > 0) setImmediate(respondInTurns, responses);
}

/**
 * Takes the next requests from the queue. Of two requests with the same idempotency key, the second stays for the next batch, where it gets
 * the stored response of the first.
 */
function takeBatch(queue: Queue, room: number, sizeOf: (request: PendingRequest) => number): Member[] {
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

function executeBatch(
  db: Database,
  operation: Operation,
  handler: BatchedHandler,
  members: readonly Member[],
  lockTimeoutMs?: number,
): Promise<OperationResponse[]> {
  return inTransaction(
    db,
    { raceConstraints: handler.raceConstraints ?? [], lockTimeoutMs, deadlineMs: batchLimits.deadlineMs },
    async (tx, attempt) => {
      const requests = members.map(({ request }) => request);
      for (const { act } of requests) act.recorded = 0;
      const claims = await claimKeys(tx, requests);
      const fresh = members.filter(({ request }) => !claims.earlier.has(request));
      const sent =
        fresh.length === 0 ? new Map<PendingRequest, HttpResponse>() : await runHandler(tx, operation, handler, fresh, attempt > 1);
      await claims.store(sent);
      return requests.map((request) => {
        const earlier = claims.earlier.get(request);
        if (earlier instanceof Problem) return { ...problemResponse(earlier, request.act.requestId), replayed: false };
        return earlier ? { ...earlier, replayed: true } : { ...(sent.get(request) ?? noOutcome()), replayed: false };
      });
    },
  );
}

async function runHandler(
  tx: Tx,
  operation: Operation,
  handler: BatchedHandler,
  members: readonly Member[],
  again: boolean,
): Promise<Map<PendingRequest, HttpResponse>> {
  const outcomes = await handler.run(
    tx,
    members.map(({ request: { act, input, ifMatch }, eventId }) => {
      const checkCurrent = (current: unknown) => checkVersion(ifMatch, current);
      return { act, input, eventId, checkCurrent } as never;
    }),
    again,
  );
  return new Map(members.map(({ request }, i) => [request, toResponse(operation, request, outcomes[i])]));
}

function noOutcome(): never {
  throw new Error('A batched request got no outcome');
}
