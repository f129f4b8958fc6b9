import { availableParallelism } from 'node:os';
import { Problem, retryLater } from '../kernel/problem.ts';
import type { Database, Tx } from '../postgres/database.ts';
import { inTransaction, isUnavailable } from '../postgres/transaction.ts';
import type { GatheredHandler } from './capability.ts';
import { claimKeys } from './idempotency.ts';
import { type Operation, type Order, type Performed, toSent } from './perform.ts';
import { problemSent, type Sent } from './stored-response.ts';

/**
 * Requests of one lane are done one batch after the other; what never shares a lane never waits for each other. More lanes than the
 * machine can work on only make for smaller batches.
 */
const lanes = Math.min(8, availableParallelism());
const mostAtOnce = 256;
const someAtOnce = 64;
/** While the database is at work for one batch, the answers of the one before go out and the next is taken in. */
const batchesUnderWay = 2;
/** Where batches do not lock each other out there is work for one more. */
const batchesApart = 3;
const answersAtOnce = 32;
/** Who would wait longer than people do, or has, is told to come back; and no more are kept waiting than memory is for. */
const longestWaitMs = 1_000;
const mostWaiting = 4_096;
const longestAwayS = 10;

interface Member {
  order: Order;
  since: number;
  resolve(performed: Performed): void;
  reject(error: unknown): void;
}

interface Lane {
  waiting: Member[];
  /** How many are in each batch that is at work. */
  underWay: number[];
  /** How long it takes from the end of one batch to the end of the next, lately, and how many are in one. */
  msEach: number;
  sizeEach: number;
  endedAt: number;
  /** How many were sent away since the last batch ended, and for each batch lately. */
  sentAway: number;
  sentAwayEach: number;
}

/**
 * Many requests in one transaction: those that come while a batch is at work make up the next one. A lone request waits for
 * nobody. Each gets its own answer, and whoever makes a batch fail fails alone.
 */
export function createGatherer(db: Database, operation: Operation, handler: GatheredHandler, { shedding }: { shedding: boolean }) {
  const all: Lane[] = Array.from({ length: lanes }, () => ({
    waiting: [],
    underWay: [],
    msEach: 0,
    sizeEach: 0,
    endedAt: 0,
    sentAway: 0,
    sentAwayEach: 0,
  }));

  const most = handler.apart ? batchesApart : batchesUnderWay;

  async function work(lane: Lane): Promise<void> {
    while (isWorthIt(lane, most)) {
      if (shedding) sendAway(lane);
      const batch = takeBatch(lane, handler.size ?? one);
      if (batch.length === 0) return;
      const beganAt = performance.now();
      lane.underWay.push(batch.length);
      await settle(batch);
      lane.underWay.splice(lane.underWay.indexOf(batch.length), 1);
      keepPace(lane, batch.length, beganAt);
    }
  }

  async function settle(members: Member[]): Promise<void> {
    try {
      const performed = await performTogether(db, operation, handler, members);
      answerInTurns(members.map((member, i) => () => member.resolve(performed[i] as Performed)));
    } catch (error) {
      const forAll = isUnavailable(error) || (error instanceof Problem && error.status >= 500);
      if (members.length === 1 || forAll) for (const member of members) member.reject(error);
      else for (const member of members) await settle([member]);
    }
  }

  return (order: Order): Promise<Performed> => {
    const lane = all[handler.lane(order.input as never) % lanes] as Lane;
    const since = performance.now();
    if (lane.waiting.length >= mostWaiting || (shedding && expectedWait(lane) > longestWaitMs)) return Promise.reject(tooMany(lane));
    return new Promise((resolve, reject) => {
      lane.waiting.push({ order, since, resolve, reject });
      void work(lane);
    });
  };
}

/** The more are sent away for each that is served, the later they are asked to come back: to refuse them takes time from the others. */
function tooMany(lane: Lane): Problem {
  lane.sentAway++;
  return retryLater(
    'overloaded',
    Math.min(1 + lane.sentAwayEach / Math.max(lane.sizeEach, 1), longestAwayS),
    'Too many are waiting; try again',
  );
}

/** As fast as lately; of few at a time nothing is learnt about many, but that many take less time than one by one. */
function expectedWait({ waiting, underWay, msEach, sizeEach }: Lane): number {
  return msEach * (underWay.length + waiting.length / Math.max(sizeEach, someAtOnce));
}

/** The last batch counts for a third. */
function keepPace(lane: Lane, size: number, beganAt: number): void {
  const now = performance.now();
  lane.msEach += (now - Math.max(beganAt, lane.endedAt) - lane.msEach) / 3;
  lane.sizeEach += (size - lane.sizeEach) / 3;
  lane.sentAwayEach += (lane.sentAway - lane.sentAwayEach) / 3;
  lane.sentAway = 0;
  lane.endedAt = now;
}

/** Those who have waited so long that they may be gone: nothing is done for nobody while others wait. */
function sendAway(lane: Lane): void {
  const latest = performance.now() - longestWaitMs;
  const kept = lane.waiting.findIndex(({ since }) => since >= latest);
  for (const { reject } of lane.waiting.splice(0, kept < 0 ? lane.waiting.length : kept)) reject(tooMany(lane));
}

/** Another batch beside the first is worth it when it is no smaller: one by one, those who come would wait for each other. */
function isWorthIt({ waiting, underWay }: Lane, most: number): boolean {
  const [first = 1] = underWay;
  return underWay.length < most && waiting.length >= first;
}

/** A few answers at a time: in between the next batch is sent on its way, for which the database waits. */
function answerInTurns(answers: (() => void)[]): void {
  for (const answer of answers.splice(0, answersAtOnce)) answer();
  if (answers.length > 0) setImmediate(answerInTurns, answers);
}

const one = () => 1;

/** The next ones in line; of two with the same key the second waits, so that it finds the answer of the first. */
function takeBatch(lane: Lane, sizeOf: NonNullable<GatheredHandler['size']>): Member[] {
  const keys = new Set<string>();
  const batch: Member[] = [];
  const later: Member[] = [];
  let room = mostAtOnce;
  for (const member of lane.waiting) {
    const { keyed, act, input } = member.order;
    const key = keyed && `${act.actor.kind === 'user' ? act.actor.id : ''} ${keyed.key}`;
    if (room <= 0 || (key !== null && keys.has(key))) {
      later.push(member);
    } else {
      batch.push(member);
      room -= sizeOf(input as never);
    }
    if (key !== null) keys.add(key);
  }
  lane.waiting = later;
  return batch;
}

function performTogether(db: Database, operation: Operation, handler: GatheredHandler, members: readonly Member[]): Promise<Performed[]> {
  return inTransaction(db, { raced: handler.raced ?? [] }, async (tx, attempt) => {
    const orders = members.map(({ order }) => order);
    for (const { act } of orders) act.recorded = 0;
    const claims = await claimKeys(tx, orders);
    const fresh = orders.filter((order) => !claims.earlier.has(order));
    const sent = fresh.length === 0 ? new Map<Order, Sent>() : await answerAll(tx, operation, handler, fresh, attempt > 1);
    await claims.store(sent);
    return orders.map((order) => {
      const earlier = claims.earlier.get(order);
      if (earlier instanceof Problem) return { ...problemSent(earlier, order.act.requestId), replayed: false };
      return earlier ? { ...earlier, replayed: true } : { ...(sent.get(order) ?? never()), replayed: false };
    });
  });
}

async function answerAll(tx: Tx, operation: Operation, handler: GatheredHandler, orders: readonly Order[], again: boolean) {
  const outcomes = await handler.run(
    tx,
    orders.map(({ act, input }) => ({ act, input }) as never),
    again,
  );
  return new Map(orders.map((order, i) => [order, toSent(operation, order, outcomes[i])]));
}

function never(): never {
  throw new Error('A request was gathered and got no answer');
}
