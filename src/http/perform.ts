import type { Act } from '../kernel/act.ts';
import { edgeProblems, Problem, type ProblemCode } from '../kernel/problem.ts';
import type { Route } from '../kernel/route.ts';
import type { Database, Tx } from '../postgres/database.ts';
import { inSavepoint, inTransaction } from '../postgres/transaction.ts';
import type { BatchedHandler, Handler } from './capability.ts';
import { etagOf, matches } from './etag.ts';
import { claimKey, isKept, type KeyedRequest } from './idempotency.ts';
import { problemSent, type Sent } from './stored-response.ts';
import type { IncomingFile } from './upload.ts';
import type { RawInput } from './validation.ts';

/** A route made ready to run. */
export interface Operation {
  name: string;
  route: Route;
  handler: Handler<Route> | BatchedHandler;
  checkInput: (raw: RawInput) => RawInput;
  checkOutput: (answer: unknown) => void;
  /** The read of the same address, whose ETag `If-Match` names. */
  versionOf: Operation | null;
}

export interface PendingRequest {
  act: Act;
  input: RawInput;
  /** Of an upload. */
  file: IncomingFile | null;
  ifMatch: string | undefined;
  keyed: KeyedRequest | null;
}

export interface Performed extends Sent {
  replayed: boolean;
}

/** Idempotency, transaction, handler, check of the answer: all of it happens, or none of it. */
export async function perform(db: Database, operation: Operation, order: PendingRequest): Promise<Performed> {
  const { method, countsFailures } = operation.route;
  const readOnly = method === 'GET' && !countsFailures;
  // Under repeatable read a row that changed after `If-Match` was compared cannot be overwritten: the request starts over and compares again.
  const isolation = order.ifMatch === undefined ? 'read committed' : 'repeatable read';
  // What came off the wire cannot come again: an upload that loses a race is not started over.
  return inTransaction(db, { readOnly, isolation, once: order.file !== null }, async (tx) => {
    order.act.recorded = 0;
    const work = await begin(tx, operation, order);
    const claimed = order.keyed && (await claimKey(tx, order.act, withDigest(order.keyed, order.file)));
    if (claimed?.earlier) return { ...claimed.earlier, replayed: true };
    const sent = claimed ? await settled(tx, operation, order, work) : await answer(tx, operation, order, work);
    await claimed?.store(sent);
    return { ...sent, replayed: false };
  });
}

/** For answers that are no JSON: only what the handler finds out. */
export async function find(db: Database, operation: Operation, { act, input }: Pick<PendingRequest, 'act' | 'input'>): Promise<unknown> {
  const found = await inTransaction(db, { readOnly: true }, (tx) =>
    listed(operation, () => alone(operation)(tx, act as never, input as never)),
  );
  if (!(found instanceof Problem)) return found;
  requireListed(operation, found);
  throw found;
}

type Work = () => Promise<unknown>;

/** An upload is taken in first, as its key is claimed with the hash of the file; everything else begins with the claim. */
async function begin(tx: Tx, operation: Operation, { act, input, file }: PendingRequest): Promise<Work> {
  const run = () => alone(operation)(tx, act as never, { ...input, file } as never);
  return file ? ((await listed(operation, run)) as Work) : run;
}

const withDigest = (keyed: KeyedRequest, file: IncomingFile | null): KeyedRequest => (file ? { ...keyed, bodyHash: file.digest() } : keyed);

/** With a key the refusal is an answer too and is kept: only the handler's own effects are undone. */
async function settled(tx: Tx, operation: Operation, order: PendingRequest, work: Work): Promise<Sent> {
  try {
    return await inSavepoint(tx, () => answer(tx, operation, order, work));
  } catch (error) {
    if (!(error instanceof Problem) || !isKept(error)) throw error;
    return problemSent(error, order.act.requestId);
  }
}

async function answer(tx: Tx, operation: Operation, order: PendingRequest, work: Work): Promise<Sent> {
  await requireMatch(tx, operation, order);
  return toSent(operation, order, await listed(operation, work));
}

function alone({ name, handler }: Operation): Handler<Route> {
  if (typeof handler !== 'function') throw new Error(`${name} is batched and cannot run alone`);
  return handler;
}

/** What a handler came to, as it goes over the wire; a result that breaks its contract is a fault of ours. */
export function toSent(operation: Operation, order: PendingRequest, result: unknown): Sent {
  const { route } = operation;
  if (result instanceof Problem) {
    requireListed(operation, result);
    return problemSent(result, order.act.requestId);
  }
  const isDryRun = route.dryRun === true && (order.input.query as { dryRun?: boolean }).dryRun === true;
  operation.checkOutput(result);
  if (route.method !== 'GET' && !route.unaudited && !isDryRun && order.act.recorded === 0) {
    throw new Error(`${operation.name} wrote nothing into the audit log`);
  }
  const body = result === undefined ? null : JSON.stringify(result);
  const status = isDryRun ? 200 : route.answer.status;
  return { status, headers: body === null ? {} : { 'content-type': 'application/json; charset=utf-8' }, body };
}

/** A problem that the contract does not list is a fault of ours. */
async function listed(operation: Operation, work: Work): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Problem) requireListed(operation, error);
    throw error;
  }
}

function requireListed({ name, route }: Operation, problem: Problem): void {
  const listed: readonly ProblemCode[] = [...(route.problems ?? []), ...edgeProblems];
  if (!listed.includes(problem.code))
    throw new Error(`${name} answered ${problem.code}, which its contract does not list`, { cause: problem });
}

async function requireMatch(tx: Tx, { versionOf }: Operation, { act, input, ifMatch }: PendingRequest): Promise<void> {
  if (ifMatch === undefined) return;
  if (!versionOf) throw new Problem('stale_version', 'What is written here has no version of its own to match');
  const current = await alone(versionOf)(tx, act as never, { ...input, query: {}, body: undefined } as never);
  if (current instanceof Problem) throw current;
  if (!matches(ifMatch, etagOf(JSON.stringify(current)))) {
    throw new Problem('stale_version', /[*"]/.test(ifMatch) ? undefined : 'If-Match takes an ETag as it came, in quotes');
  }
}
