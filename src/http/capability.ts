import type { Access } from '../kernel/access.ts';
import type { Act, Anonymous, Device, User } from '../kernel/act.ts';
import type { Problem } from '../kernel/problem.ts';
import type { Answer, Contract, Input, Route, Upload } from '../kernel/route.ts';
import type { Database, Tx } from '../postgres/database.ts';

type ActorOf<A extends Access> = A extends { to: 'anyone' } | { orSecret: true } | { orCookie: true }
  ? User | Anonymous
  : A extends { orDevice: true }
    ? User | Device
    : User;

/** An answer with headers of its own, such as `Set-Cookie`. They are stored with the idempotency key and sent again with the response. */
export class WithHeaders<B> {
  readonly body: B;
  readonly headers: Readonly<Record<string, string>>;

  constructor(body: B, headers: Readonly<Record<string, string>>) {
    this.body = body;
    this.headers = headers;
  }
}

/** Throwing a problem rolls back the transaction. Returning a problem commits the changes. */
type Outcome<R extends Route> = Promise<Answer<R> | WithHeaders<Answer<R>> | Problem>;

/**
 * The handler of an upload works in two steps: it reads the file, and returns a function that does the rest. The idempotency key is checked
 * between the two steps, because the check needs the hash of the whole file.
 */
export type Handler<R extends Route> = (
  tx: Tx,
  act: Act<ActorOf<R['access']>>,
  input: Input<R>,
) => R['upload'] extends Upload ? Promise<() => Outcome<R>> : Outcome<R>;

/** The handler of an upload with `beforeTransaction`: it reads and stores the file, and returns a function that writes to the database. */
export type ReceivingHandler<R extends Route = Route> = (
  act: Act<ActorOf<R['access']>>,
  input: Input<R>,
) => Promise<(tx: Tx) => Outcome<R>>;

interface Batched<R extends Route> {
  act: Act<ActorOf<R['access']>>;
  input: Input<R>;
  /** The event by which the request was batched. 0 if `findBatchKeys` did not find it. */
  eventId: number;
  /**
   * Returns a problem if the request has an `If-Match` that does not match the current resource. A handler of a PUT or DELETE calls it after
   * it has locked the resource.
   */
  checkCurrent(current: unknown): Problem | null;
}

/** Handles many requests in one transaction, see batch-requests.ts. */
export interface BatchedHandler<R extends Route = Route> {
  /** Requests with the same key go into the same batch. The key is the id of the event. */
  batchKey(input: Input<R>): number;
  /**
   * For requests that do not name their event. Then `batchKey` returns another id, such as the id of the order, and this function finds the
   * events of those ids.
   */
  findBatchKeys?(db: Database, ids: readonly number[]): Promise<ReadonlyMap<number, number>>;
  /** How much of the batch capacity of 256 the request uses. Default: 1. */
  size?(input: Input<R>): number;
  /** True if batches with the same key rarely wait for each other's locks. Then more of these batches run at the same time. */
  lowContention?: boolean;
  /** Constraints that are violated only when another transaction was faster. Then the whole batch is retried. */
  raceConstraints?: readonly string[];
  /**
   * Returns one outcome per request, in the same order. A request whose outcome is a problem must not have written anything. `again` is true
   * when the batch is retried after a conflict.
   */
  run(tx: Tx, requests: readonly Batched<R>[], again: boolean): Promise<(Answer<R> | Problem)[]>;
  /**
   * Runs after the commit, when no transaction is open, so it may call other services. It also runs for a repeated request, whose stored
   * answer may be from before a crash. Returns the answer to send instead, or null.
   */
  complete?(
    db: Database,
    committed: { act: Act<ActorOf<R['access']>>; input: Input<R>; answer: Answer<R> },
  ): Promise<Answer<R> | Problem | null>;
}

type HandlerOf<R extends Route> = R extends { batched: true }
  ? BatchedHandler<R>
  : R extends { upload: { beforeTransaction: true } }
    ? ReceivingHandler<R>
    : Handler<R>;
export type Handlers<C extends Contract> = { [K in keyof C]: HandlerOf<C[K]> };

/** A contract and its handlers. */
export interface Capability {
  contract: Contract;
  handlers: Record<string, Handler<Route> | BatchedHandler | ReceivingHandler>;
}

export const capability = <C extends Contract>(contract: C, handlers: Handlers<C>): Capability => ({
  contract,
  handlers,
});
