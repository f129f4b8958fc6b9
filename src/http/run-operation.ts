import type { Act } from '../kernel/act.ts';
import { edgeProblems, Problem, type ProblemCode } from '../kernel/problem.ts';
import type { Route } from '../kernel/route.ts';
import type { Database, Tx } from '../postgres/database.ts';
import { inSavepoint, inTransaction } from '../postgres/transaction.ts';
import { type BatchedHandler, type Handler, type ReceivingHandler, WithHeaders } from './capability.ts';
import { etagOf, matches } from './etag.ts';
import { claimKey, type IdempotentRequest, isStored } from './idempotency.ts';
import { type HttpResponse, problemResponse } from './stored-response.ts';
import type { IncomingFile } from './upload.ts';
import type { RawInput } from './validation.ts';

/** A route with its handler and its compiled validators. */
export interface Operation {
  name: string;
  route: Route;
  handler: Handler<Route> | BatchedHandler | ReceivingHandler;
  checkInput: (raw: RawInput) => RawInput;
  checkOutput: (answer: unknown) => void;
  /** The GET operation whose ETag `If-Match` is compared with. */
  versionOf: Operation | null;
}

export interface PendingRequest {
  act: Act;
  input: RawInput;
  /** The event that the path names, for operations with `inEvent`. Null if the path does not name it. */
  eventId: number | null;
  /** The uploaded file. Null for operations without an upload. */
  file: IncomingFile | null;
  ifMatch: string | undefined;
  idempotency: IdempotentRequest | null;
}

export interface OperationResponse extends HttpResponse {
  replayed: boolean;
}

/** Whether the transaction of the operation writes nothing. */
export const isReadOnly = ({ method, countsFailures, audited }: Route): boolean => method === 'GET' && !countsFailures && !audited;

/**
 * Runs the handler in a transaction, together with the idempotency key and the check of the response. If any of these steps fails, nothing
 * is written.
 */
export async function runOperation(db: Database, operation: Operation, request: PendingRequest): Promise<OperationResponse> {
  const readOnly = isReadOnly(operation.route);
  // With repeatable read, writing a row that changed after the `If-Match` check fails. Then the transaction is retried and checks again.
  const isolation = request.ifMatch === undefined ? 'read committed' : 'repeatable read';
  const received = operation.route.upload?.beforeTransaction ? await receive(operation, request) : null;
  // An upload is not retried after a conflict, because its bytes cannot be read twice.
  const once = request.file !== null && received === null;
  return inTransaction(db, { readOnly, isolation, once, label: request.act.requestId }, async (tx) => {
    request.act.recorded = 0;
    const work = received ? () => received(tx) : await prepareWork(tx, operation, request);
    const claimed = request.idempotency && (await claimKey(tx, request.act, withDigest(request.idempotency, request.file)));
    if (claimed?.earlier) return { ...claimed.earlier, replayed: true };
    const sent = claimed ? await respondInSavepoint(tx, operation, request, work) : await respond(tx, operation, request, work);
    await claimed?.store(sent);
    return { ...sent, replayed: false };
  });
}

/** For operations that do not return JSON: runs the handler and returns its result. */
export async function runReadOnly(
  db: Database,
  operation: Operation,
  { act, input }: Pick<PendingRequest, 'act' | 'input'>,
): Promise<unknown> {
  const found = await inTransaction(db, { readOnly: true, label: act.requestId }, (tx) =>
    withListedProblems(operation, () => singleHandler(operation)(tx, act as never, input as never)),
  );
  if (!(found instanceof Problem)) return found;
  requireListed(operation, found);
  throw found;
}

type Work = () => Promise<unknown>;

/** Reads an upload before the idempotency key is claimed, because the claim needs the hash of the file. Other requests claim the key first. */
async function prepareWork(tx: Tx, operation: Operation, { act, input, file }: PendingRequest): Promise<Work> {
  const run = () => singleHandler(operation)(tx, act as never, { ...input, file } as never);
  return file ? ((await withListedProblems(operation, run)) as Work) : run;
}

/** Reads an upload before the transaction begins. */
async function receive(operation: Operation, { act, input, file }: PendingRequest): Promise<(tx: Tx) => Promise<unknown>> {
  const handler = operation.handler as ReceivingHandler;
  const received = await withListedProblems(operation, () => handler(act as never, { ...input, file } as never));
  return received as (tx: Tx) => Promise<unknown>;
}

const withDigest = (idempotency: IdempotentRequest, file: IncomingFile | null): IdempotentRequest =>
  file ? { ...idempotency, bodyHash: file.digest() } : idempotency;

/** For requests with an idempotency key. A problem rolls back only the changes of the handler, so that the response can be stored with the key. */
async function respondInSavepoint(tx: Tx, operation: Operation, request: PendingRequest, work: Work): Promise<HttpResponse> {
  try {
    return await inSavepoint(tx, () => respond(tx, operation, request, work));
  } catch (error) {
    if (!(error instanceof Problem) || !isStored(error)) throw error;
    return problemResponse(error, request.act.requestId);
  }
}

async function respond(tx: Tx, operation: Operation, request: PendingRequest, work: Work): Promise<HttpResponse> {
  await requireMatch(tx, operation, request);
  return toResponse(operation, request, await withListedProblems(operation, work));
}

function singleHandler({ name, handler }: Operation): Handler<Route> {
  if (typeof handler !== 'function') throw new Error(`${name} is batched and cannot run alone`);
  return handler as Handler<Route>;
}

/** Turns the result of a handler into a response. A result that violates the contract is a bug and returns 500. */
export function toResponse(operation: Operation, request: PendingRequest, result: unknown): HttpResponse {
  const { route } = operation;
  if (result instanceof Problem) {
    requireListed(operation, result);
    return problemResponse(result, request.act.requestId);
  }
  const isDryRun = route.dryRun === true && (request.input.query as { dryRun?: boolean }).dryRun === true;
  const mustRecord = (route.method !== 'GET' || route.audited) && !route.unaudited && !route.mayChangeNothing && !isDryRun;
  if (mustRecord && request.act.recorded === 0) throw new Error(`${operation.name} wrote nothing to the audit log`);
  return jsonResponse(operation, isDryRun ? 200 : route.answer.status, result);
}

function jsonResponse(operation: Operation, status: number, result: unknown): HttpResponse {
  const { body: answer, headers } = result instanceof WithHeaders ? result : new WithHeaders(result, {});
  operation.checkOutput(answer);
  const body = answer === undefined ? null : JSON.stringify(answer);
  return { status, headers: { ...(body !== null && { 'content-type': 'application/json; charset=utf-8' }), ...headers }, body };
}

/** Turns the result of `complete` into a response. */
export function toCompletedResponse(operation: Operation, { requestId }: Act, result: unknown): HttpResponse {
  if (!(result instanceof Problem)) return jsonResponse(operation, operation.route.answer.status, result);
  requireListed(operation, result);
  return problemResponse(result, requestId);
}

/** Runs the work. A problem that the contract does not list is a bug and returns 500. */
async function withListedProblems(operation: Operation, work: Work): Promise<unknown> {
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
    throw new Error(`${name} returned ${problem.code}, which its contract does not list`, { cause: problem });
}

async function requireMatch(tx: Tx, { versionOf }: Operation, { act, input, ifMatch }: PendingRequest): Promise<void> {
  if (ifMatch === undefined) return;
  if (!versionOf) throw new Problem('stale_version', 'This operation does not support If-Match. Send the request without it.');
  const current = await singleHandler(versionOf)(tx, act as never, { ...input, query: {}, body: undefined } as never);
  if (current instanceof Problem) throw current;
  const stale = checkVersion(ifMatch, current);
  if (stale) throw stale;
}

/** Compares `If-Match` with the current version of the resource: the body that its GET operation returns. */
export function checkVersion(ifMatch: string | undefined, current: unknown): Problem | null {
  if (ifMatch === undefined || matches(ifMatch, etagOf(JSON.stringify(current)))) return null;
  return new Problem('stale_version', /[*"]/.test(ifMatch) ? undefined : 'If-Match must be an ETag in quotes, as it was returned.');
}
