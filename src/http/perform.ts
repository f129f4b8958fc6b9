import type { Act } from '../kernel/act.ts';
import { edgeProblems, Problem, type ProblemCode } from '../kernel/problem.ts';
import type { Route } from '../kernel/route.ts';
import type { Database, Tx } from '../postgres/database.ts';
import { inSavepoint, inTransaction } from '../postgres/transaction.ts';
import type { GatheredHandler, Handler } from './capability.ts';
import { etagOf, matches } from './etag.ts';
import { claimKey, type KeyedRequest, type Sent } from './idempotency.ts';
import type { RawInput } from './validation.ts';

/** A route made ready to run. */
export interface Operation {
  name: string;
  route: Route;
  handler: Handler<Route> | GatheredHandler;
  checkInput: (raw: RawInput) => RawInput;
  checkOutput: (answer: unknown) => void;
  /** The read of the same address, whose ETag `If-Match` names. */
  versionOf: Operation | null;
}

export interface Order {
  act: Act;
  input: RawInput;
  ifMatch: string | undefined;
  keyed: KeyedRequest | null;
}

export interface Performed extends Sent {
  replayed: boolean;
}

/** Idempotency, transaction, handler, check of the answer: all of it happens, or none of it. */
export async function perform(db: Database, operation: Operation, order: Order): Promise<Performed> {
  const readOnly = operation.route.method === 'GET';
  // Under repeatable read a row that changed after `If-Match` was compared cannot be overwritten: the request starts over and compares again.
  const isolation = order.ifMatch === undefined ? 'read committed' : 'repeatable read';
  return inTransaction(db, { readOnly, isolation }, async (tx) => {
    order.act.recorded = 0;
    const claimed = order.keyed && (await claimKey(tx, order.act, order.keyed));
    if (claimed?.earlier) return { ...claimed.earlier, replayed: true };
    const sent = claimed ? await settled(tx, operation, order) : await answer(tx, operation, order);
    await claimed?.store(sent);
    return { ...sent, replayed: false };
  });
}

/** With a key the refusal is an answer too and is kept: only the handler's own effects are undone. */
async function settled(tx: Tx, operation: Operation, order: Order): Promise<Sent> {
  try {
    return await inSavepoint(tx, () => answer(tx, operation, order));
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500 || error.status === 429) throw error;
    return problemSent(error, order.act.requestId);
  }
}

async function answer(tx: Tx, operation: Operation, order: Order): Promise<Sent> {
  await requireMatch(tx, operation, order);
  try {
    return toSent(operation, order, await alone(operation)(tx, order.act as never, order.input as never));
  } catch (error) {
    if (error instanceof Problem) requireListed(operation, error);
    throw error;
  }
}

function alone({ name, handler }: Operation): Handler<Route> {
  if (typeof handler !== 'function') throw new Error(`${name} is gathered and cannot be done alone`);
  return handler;
}

/** What a handler came to, as it goes over the wire; a result that breaks its contract is a fault of ours. */
export function toSent(operation: Operation, order: Order, result: unknown): Sent {
  const { route } = operation;
  if (result instanceof Problem) {
    requireListed(operation, result);
    return problemSent(result, order.act.requestId);
  }
  operation.checkOutput(result);
  if (route.method !== 'GET' && !route.unaudited && order.act.recorded === 0) {
    throw new Error(`${operation.name} wrote nothing into the audit log`);
  }
  const body = result === undefined ? null : JSON.stringify(result);
  return { status: route.answer.status, headers: body === null ? {} : { 'content-type': 'application/json; charset=utf-8' }, body };
}

function requireListed({ name, route }: Operation, problem: Problem): void {
  const listed: readonly ProblemCode[] = [...(route.problems ?? []), ...edgeProblems];
  if (!listed.includes(problem.code))
    throw new Error(`${name} answered ${problem.code}, which its contract does not list`, { cause: problem });
}

async function requireMatch(tx: Tx, { versionOf }: Operation, { act, input, ifMatch }: Order): Promise<void> {
  if (ifMatch === undefined) return;
  if (!versionOf) throw new Problem('stale_version', 'What is written here has no version of its own to match');
  const current = await alone(versionOf)(tx, act as never, { ...input, query: {}, body: undefined } as never);
  if (current instanceof Problem) throw current;
  if (!matches(ifMatch, etagOf(JSON.stringify(current)))) throw new Problem('stale_version');
}

export function problemSent(problem: Problem, requestId: string): Sent {
  return {
    status: problem.status,
    headers: { 'content-type': 'application/problem+json; charset=utf-8', ...problem.details.headers },
    body: JSON.stringify(problem.describe(requestId)),
  };
}
