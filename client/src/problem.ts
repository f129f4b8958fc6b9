import type { Operations, ProblemCode } from './api.ts';
import type { Call, OperationName } from './call.ts';
import type { Challenge } from './challenge.ts';

export interface InputError {
  in: 'body' | 'query' | 'path' | 'header';
  field: string;
  code: string;
  message: string;
}

interface ProblemBody<C> {
  code: C;
  status: number;
  title: string;
  detail: string;
  errors?: InputError[];
  requestId: string;
  challenge?: Challenge;
}

/**
 * The service refused the request. `code` is stable. `body` is the whole response body. For example, `sold_out` has the remaining
 * tickets of each line in it.
 */
export class Problem<C extends ProblemCode = ProblemCode> extends Error {
  override readonly name: string = 'Problem';
  readonly code: C;
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  /** The invalid fields of the input, with an error message for each field. */
  readonly errors: readonly InputError[];
  /** Identifies the request in the log of the service. Include it when you contact the operator. */
  readonly requestId: string;
  /** The challenge to solve when `code` is `challenge_required`, see `solveChallenge`. */
  readonly challenge: C extends 'challenge_required' ? Challenge : undefined;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Headers;

  constructor(body: Record<string, unknown>, headers: Headers) {
    const { code, status, title, detail, errors, requestId, challenge } = body as unknown as ProblemBody<C>;
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

/** The request got no response: the network failed or the timeout expired. The service may have processed the request. */
export class NoAnswer extends Error {
  override readonly name: string = 'NoAnswer';
  readonly reason: 'network' | 'timeout';

  constructor(reason: 'network' | 'timeout', message: string, cause?: unknown) {
    super(message, { cause });
    this.reason = reason;
  }
}

/** The response is not from the service. For example, a proxy has sent its own error page. */
export class UnexpectedAnswer extends Error {
  override readonly name: string = 'UnexpectedAnswer';
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;

  constructor(status: number, text: string, headers: Headers) {
    super(`Unexpected response with status ${status}: ${text.slice(0, 100)}`);
    this.status = status;
    this.text = text;
    this.headers = headers;
  }
}

type NameOf<T> = T extends OperationName ? T : T extends (...args: never[]) => Call<infer N> ? N : never;
type EachCode<C> = C extends ProblemCode ? Problem<C> : never;

/** The problems that an operation may return: `ProblemOf<'createOrder'>`, or `ProblemOf<typeof client.orders.create>`. */
export type ProblemOf<T> = EachCode<Operations[NameOf<T>]['problem']>;

/** Whether an error is a problem with one of these codes, or any problem without codes: `if (isProblem(error, 'sold_out')) …` */
export function isProblem<C extends ProblemCode = ProblemCode>(error: unknown, ...codes: C[]): error is Problem<C> {
  return error instanceof Problem && (codes.length === 0 || codes.includes(error.code as C));
}

export type Outcome<N extends OperationName, A> = { ok: true; answer: A } | { ok: false; problem: ProblemOf<N> };

/**
 * Returns the answer or the problem of a call. The problem is typed: a comparison with a code that the operation never returns does not
 * compile. Other failures, such as a lost connection, are still thrown.
 */
export async function outcome<N extends OperationName, A>(call: Call<N, A>): Promise<Outcome<N, A>> {
  try {
    return { ok: true, answer: await call };
  } catch (error) {
    if (isProblem(error)) return { ok: false, problem: error as ProblemOf<N> };
    throw error;
  }
}
