import type { Access } from '../kernel/access.ts';
import type { Act, Anonymous, User } from '../kernel/act.ts';
import type { Problem } from '../kernel/problem.ts';
import type { Answer, Contract, Input, Route, Upload } from '../kernel/route.ts';
import type { Database, Tx } from '../postgres/database.ts';

type ActorOf<A extends Access> = A extends { to: 'anyone' } | { orSecret: true } ? User | Anonymous : User;

/** A thrown problem undoes everything; a returned one is answered and what was written stays. */
type Outcome<R extends Route> = Promise<Answer<R> | Problem>;

/**
 * Of an upload the handler takes in the file and answers what remains to be done with it: only the whole file tells
 * whether this is a request that was carried out before.
 */
export type Handler<R extends Route> = (
  tx: Tx,
  act: Act<ActorOf<R['access']>>,
  input: Input<R>,
) => R['upload'] extends Upload ? Promise<() => Outcome<R>> : Outcome<R>;

interface Batched<R extends Route> {
  act: Act<ActorOf<R['access']>>;
  input: Input<R>;
}

/** Runs many requests at once, see batch-requests.ts. Returns one outcome for each, in their order; a problem means that it left no trace. */
export interface BatchedHandler<R extends Route = Route> {
  /** Requests with the same key share a batch: those of one event. */
  batchKey(input: Input<R>): number;
  /** Where the request does not name its event, `batchKey` returns an id, and this finds the event of each. */
  findBatchKeys?(db: Database, ids: readonly number[]): Promise<ReadonlyMap<number, number>>;
  /** How much of a batch's capacity of 256 the request takes; 1 by default. */
  size?(input: Input<R>): number;
  /** Batches with the same key rarely wait for each other's locks. */
  lowContention?: boolean;
  /** Constraints that refuse only what somebody else did since it was read: all starts over then. */
  raceConstraints?: readonly string[];
  /** `again` after a race was lost. */
  run(tx: Tx, requests: readonly Batched<R>[], again: boolean): Promise<(Answer<R> | Problem)[]>;
}

type HandlerOf<R extends Route> = R extends { batched: true } ? BatchedHandler<R> : Handler<R>;
export type Handlers<C extends Contract> = { [K in keyof C]: HandlerOf<C[K]> };

/** A contract and what carries it out. */
export interface Capability {
  contract: Contract;
  handlers: Record<string, Handler<Route> | BatchedHandler>;
}

export const capability = <C extends Contract>(contract: C, handlers: Handlers<C>): Capability => ({
  contract,
  handlers,
});
