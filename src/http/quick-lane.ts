import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type JsonBody, readJson } from './json-body.ts';
import { type Performed, problemSent } from './perform.ts';
import { toProblem } from './problems.ts';

/** An operation that anyone may ask for at an address without parameters, and that is done together with others. */
export interface QuickOperation {
  name: string;
  take(request: { requestId: string; address: string; idempotencyKey: string | undefined }, body: JsonBody): Promise<Performed>;
}

export interface QuickServed {
  requestId: string;
  operation: string;
  status: number;
  ms: number;
  /** A fault of ours. */
  error?: unknown;
}

export interface Surroundings {
  /** Of every answer; names and values by turns. */
  headers: readonly string[];
  /** Whether there is time for this request now, from this address; who is refused is told so on the long way. */
  admits(address: string): boolean | Promise<boolean>;
  onServed(served: QuickServed): void;
}

const mostBytes = 65_536;
const jsonTypes = new Set(['application/json', 'application/json; charset=utf-8', 'application/json;charset=utf-8']);

/** What comes with the request may change what is to be done: then it takes the long way. */
const mattersToWork = ['authorization', 'expect', 'content-encoding', 'transfer-encoding', 'if-match', 'origin', 'x-forwarded-for'];

function isPlain({ method, headers }: IncomingMessage): boolean {
  if (method !== 'POST' || !jsonTypes.has(headers['content-type'] ?? '')) return false;
  const length = Number(headers['content-length'] ?? Number.NaN);
  return length > 0 && length <= mostBytes && mattersToWork.every((name) => headers[name] === undefined);
}

/**
 * Orders on a hot day are many, small and alike, and come from people who are not signed in. Those are taken straight to their operation:
 * everything on the long way costs more than the order itself. They meet the same checks there, in the same order.
 */
export class QuickLane {
  readonly #operations = new Map<string, QuickOperation>();
  #around: Surroundings | null = null;

  /** Until then, and after `close`, everything takes the long way. */
  open(around: Surroundings): void {
    this.#around = around;
  }

  close(): void {
    this.#around = null;
  }

  add(url: string, operation: QuickOperation): void {
    this.#operations.set(url, operation);
  }

  /** Whether it was taken; the answer comes later. `longWay` is for who is not admitted. */
  answer(request: IncomingMessage, response: ServerResponse, longWay: () => void): boolean {
    const operation = this.#around && this.#operations.get(request.url ?? '');
    if (!this.#around || !operation || !isPlain(request)) return false;
    void serve(this.#around, operation, request, response, longWay);
    return true;
  }
}

async function serve(
  around: Surroundings,
  operation: QuickOperation,
  request: IncomingMessage,
  response: ServerResponse,
  longWay: () => void,
): Promise<void> {
  const began = performance.now();
  const address = request.socket.remoteAddress ?? '';
  const admitted = around.admits(address);
  if (!(typeof admitted === 'boolean' ? admitted : await admitted)) return longWay();
  const bytes = await readAll(request);
  // Whoever hung up before they had said what they want gets no answer.
  if (!bytes) return;
  const requestId = randomUUID();
  const served: QuickServed = { requestId, operation: operation.name, status: 500, ms: 0 };
  let sent: Performed;
  try {
    const idempotencyKey = request.headers['idempotency-key'] as string | undefined;
    sent = await operation.take({ requestId, address, idempotencyKey }, readJson(bytes, idempotencyKey !== undefined));
  } catch (error) {
    const problem = toProblem(error);
    if (problem.status === 500) served.error = error;
    sent = { ...problemSent(problem, requestId), replayed: false };
  }
  send(response, around.headers, requestId, sent);
  around.onServed({ ...served, status: sent.status, ms: performance.now() - began });
}

function send(
  response: ServerResponse,
  constant: readonly string[],
  requestId: string,
  { status, headers, body, replayed }: Performed,
): void {
  const text = body ?? '';
  const list = [...constant, 'x-request-id', requestId, 'content-length', String(Buffer.byteLength(text))];
  for (const name in headers) list.push(name, headers[name] as string);
  if (replayed) list.push('idempotency-replayed', 'true');
  response.writeHead(status, list);
  response.end(text);
}

function readAll(request: IncomingMessage): Promise<Buffer | null> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    request.on('error', () => resolve(null));
    request.on('close', () => resolve(null));
  });
}
