import type { Operations, ProblemCode } from './api.ts';
import type { Call, OperationName } from './call.ts';
import type { Challenge } from './challenge.ts';

export interface InputError {
  in: 'body' | 'query' | 'path' | 'header';
  field: string;
  code: string;
  message: string;
}

interface Sent<C> {
  code: C;
  status: number;
  title: string;
  detail: string;
  errors?: InputError[];
  requestId: string;
  challenge?: Challenge;
}

/** The service refused, and says why. `code` is stable; `body` has everything that came, e.g. what remains of a line that is sold out. */
export class Problem<C extends ProblemCode = ProblemCode> extends Error {
  override readonly name: string = 'Problem';
  readonly code: C;
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  /** Of wrong input: what is wrong with which field. */
  readonly errors: readonly InputError[];
  /** Tell it to who runs the service: it finds the request in the log. */
  readonly requestId: string;
  /** Of `challenge_required`: what to solve, see `solveChallenge`. */
  readonly challenge: C extends 'challenge_required' ? Challenge : undefined;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Headers;

  constructor(body: Record<string, unknown>, headers: Headers) {
    const { code, status, title, detail, errors, requestId, challenge } = body as unknown as Sent<C>;
    super(`${code}: ${detail}`);
    this.code = code;
    this.status = status;
    this.title = title;
    this.detail = detail;
    this.errors = errors ?? [];
    this.requestId = requestId;
    this.challenge = challenge as typeof this.challenge;
    this.body = body;
    this.headers = headers;
  }
}

/** No answer came: the network failed or the time was up. What was asked for may have been done. */
export class NoAnswer extends Error {
  override readonly name: string = 'NoAnswer';
  readonly reason: 'network' | 'timeout';

  constructor(reason: 'network' | 'timeout', message: string, cause?: unknown) {
    super(message, { cause });
    this.reason = reason;
  }
}

/** Something answered that is not the service, such as a proxy with a page of its own. */
export class UnexpectedAnswer extends Error {
  override readonly name: string = 'UnexpectedAnswer';
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;

  constructor(status: number, text: string, headers: Headers) {
    super(`Answered ${status} with something else than the service would: ${text.slice(0, 100)}`);
    this.status = status;
    this.text = text;
    this.headers = headers;
  }
}

type NameOf<T> = T extends OperationName ? T : T extends (...args: never[]) => Call<infer N> ? N : never;
type EachCode<C> = C extends ProblemCode ? Problem<C> : never;

/** The problems that an operation may answer: `ProblemOf<'createOrder'>`, or `ProblemOf<typeof client.orders.create>`. */
export type ProblemOf<T> = EachCode<Operations[NameOf<T>]['problem']>;

/** `catch (error) { if (isProblem(error, 'sold_out')) … }` */
export function isProblem<C extends ProblemCode = ProblemCode>(error: unknown, ...codes: C[]): error is Problem<C> {
  return error instanceof Problem && (codes.length === 0 || codes.includes(error.code as C));
}

export type Outcome<N extends OperationName, A> = { ok: true; answer: A } | { ok: false; problem: ProblemOf<N> };

/**
 * The answer or the problem of a call, so that problems are typed too: only codes that the operation may answer compile.
 * Failures that are no problems, such as a lost network, are thrown as ever.
 */
export async function outcome<N extends OperationName, A>(call: Call<N, A>): Promise<Outcome<N, A>> {
  try {
    return { ok: true, answer: await call };
  } catch (error) {
    if (isProblem(error)) return { ok: false, problem: error as ProblemOf<N> };
    throw error;
  }
}
