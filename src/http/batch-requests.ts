import { batchedLookup } from '../kernel/batched-lookup.ts';
import { Problem } from '../kernel/problem.ts';
import type { Tracing } from '../kernel/tracing.ts';
import type { Database, Tx } from '../postgres/database.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { isLockTimeout, isUnavailable } from '../postgres/unavailable.ts';
import type { Lane } from './batch-monitor.ts';
import {
  batchLimits,
  expectedWait,
  isReady,
  type Member,
  maxWaiting,
  maxWaitingPerQueue,
  maxWaitMs,
  newQueue,
  type Queue,
  refuseLongWaiting,
  takeBatch,
  tooMany,
  updatePace,
} from './batch-queue.ts';
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

const responsesPerTurn = 32;
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
  /** The number of database connections for requests. */
  connections: number;
  lane: Lane;
  tracing?: Tracing | undefined;
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
  readonly #connections: number;
  readonly #lane: Lane;
  readonly #tracing: Tracing | undefined;
  readonly #findKey: ((key: number) => Promise<number | undefined>) | null;
  /** Sorted by turn: the next batch starts with the first queue. Empty queues are removed. */
  readonly #queues = new Map<number, Queue>();
  #waiting = 0;
  #running = 0;
  #open = 0;

  constructor(
    db: Database,
    operation: Operation,
    handler: BatchedHandler,
    { shedding, oneEventPerBatch, connections, lane, tracing }: BatcherOptions,
  ) {
    this.#db = db;
    this.#operation = operation;
    this.#handler = handler;
    this.#shedding = shedding;
    this.#oneEventPerBatch = oneEventPerBatch;
    this.#connections = connections;
    this.#lane = lane;
    this.#tracing = tracing;
    lane.watchDepth(() => this.#waiting);
    const { findBatchKeys } = handler;
    this.#findKey = findBatchKeys ? batchedLookup((keys: readonly number[]) => findBatchKeys(db, keys)) : null;
  }

  async run(request: PendingRequest): Promise<OperationResponse> {
    // If the path names a wrong event, the handler does not find the object there.
    if (request.eventId !== null) return this.#enqueue(request.eventId, request);
    const key = this.#handler.batchKey(request.input as never);
    // Requests for objects that do not exist share the queue 0.
    return this.#enqueue(this.#findKey ? ((await this.#findKey(key)) ?? 0) : key, request);
  }

  #enqueue(key: number, request: PendingRequest): Promise<OperationResponse> {
    const queue = this.#queues.get(key) ?? newQueue();
    const full = queue.waiting.length >= maxWaitingPerQueue || this.#waiting >= maxWaiting;
    if (full || (this.#shedding && expectedWait(queue) > maxWaitMs)) {
      this.#lane.refused(1);
      throw tooMany(queue);
    }
    this.#queues.set(key, queue);
    const trace = this.#tracing?.current() ?? null;
    return new Promise((resolve, reject) => {
      queue.waiting.push({ request, eventId: key, since: performance.now(), trace, resolve, reject });
      this.#waiting++;
      this.#startBatches();
    });
  }

  #startBatches(): void {
    for (const [key, queue] of this.#queues) {
      if (this.#running >= batchLimits.running || this.#open >= this.#connections * batchLimits.openShare) return;
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
    if (this.#shedding) this.#lane.refused(refuseLongWaiting(queue));
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
    const ended = this.#lane.started(members.length, performance.now() - (members[0]?.since ?? 0));
    const run = () => executeBatch(this.#db, this.#operation, this.#handler, members, lockTimeoutMs);
    const traces = () => members.map(({ trace }) => trace);
    const responses = await (this.#tracing ? this.#tracing.runBatch(this.#operation.name, traces(), run) : run()).finally(ended);
    respondInTurns(members.map((member, i) => () => member.resolve(responses[i] as OperationResponse)));
  }
}

/** Sends a few responses per turn of the event loop, so that the next batch can start before all responses are sent. */
function respondInTurns(responses: (() => void)[]): void {
  for (const respond of responses.splice(0, responsesPerTurn)) respond();
  if (responses.length > 0) setImmediate(respondInTurns, responses);
}

/** The id of the first request, and the number of the others. */
const labelOf = (members: readonly Member[]): string =>
  `${members[0]?.request.act.requestId ?? ''}${members.length > 1 ? ` +${members.length - 1}` : ''}`;

function executeBatch(
  db: Database,
  operation: Operation,
  handler: BatchedHandler,
  members: readonly Member[],
  lockTimeoutMs?: number,
): Promise<OperationResponse[]> {
  return inTransaction(
    db,
    { raceConstraints: handler.raceConstraints ?? [], lockTimeoutMs, deadlineMs: batchLimits.deadlineMs, label: labelOf(members) },
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
