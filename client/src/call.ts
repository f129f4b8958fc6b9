import type { Operations } from './api.ts';

export type OperationName = keyof Operations;
export type InputOf<N extends OperationName> = Operations[N]['input'];
export type AnswerOf<N extends OperationName> = Operations[N]['answer'];

export type QueryValue = string | number | boolean | Date | null | undefined | readonly (string | number)[];
export type Query = Record<string, QueryValue>;

/** Options that every call accepts in addition to its input. */
export interface CallOptions {
  /** Aborts the call, including its retries. */
  signal?: AbortSignal;
  /** The timeout of one attempt. 0 means no timeout. The default is 30 seconds, but an upload has no timeout by default. */
  timeoutMs?: number;
  /** The maximum number of retries after a lost connection or when the service is busy. The default is 2. */
  retries?: number;
  /**
   * The idempotency key of a write. The default is a random key. The service processes requests with the same key only once in seven days.
   */
  idempotencyKey?: string;
  /** The version of the resource for a write (see `etagOf`). The service refuses the write if the resource has another version. */
  ifMatch?: string;
  headers?: Record<string, string>;
  /** Parameters to add to the query string. */
  query?: Query;
  /** The body of a DELETE request. */
  payload?: object;
  /** Called with the progress of an upload, on platforms that can measure it. */
  onProgress?: (progress: Progress) => void;
}

/** The part of `fetch` that the client uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** The progress of an upload. Both numbers are bytes of the file. */
export interface Progress {
  sent: number;
  total: number;
}

/** A promise of the answer. Its type also has the name of the operation, which `outcome` needs. */
export interface Call<N extends OperationName, A = AnswerOf<N>> extends Promise<A> {
  readonly operation: N;
}

/** Sends a request to the service. Every method uses it. */
export type Caller = <N extends OperationName>(name: N, input?: InputOf<N>, options?: CallOptions) => Call<N>;

export type Arguments<I> = Partial<I> extends I ? [input?: I, options?: CallOptions] : [input: I, options?: CallOptions];

/** The answer with all fields of each event, as the service returns it without `fields`. */
type Whole<A> = A extends { data: (infer E)[] } ? Omit<A, 'data'> & { data: Whole<E>[] } : Required<A>;

/** The answer with only these fields of each event. */
type Picked<A, F> = A extends { data: (infer E)[] } ? Omit<A, 'data'> & { data: Picked<E, F>[] } : Pick<Required<A>, F & keyof A>;

type Without<I, K extends string> = Omit<I, K> & { [P in K]?: never };

/**
 * A method whose input has `fields`. If `fields` is an array, the type of the answer has only these fields. If `fields` is a
 * comma-separated text, every field of the answer is optional.
 */
export interface Selecting<N extends OperationName, I, A> {
  (...args: Arguments<Without<I, 'fields'>>): Call<N, Whole<A>>;
  <const F extends keyof ElementOf<A>>(input: Omit<I, 'fields'> & { fields: readonly F[] }, options?: CallOptions): Call<N, Picked<A, F>>;
  (input: I, options?: CallOptions): Call<N, A>;
}

/** A method with exactly the input and the answer of its operation. */
export type Plain<N extends OperationName> = (...args: Arguments<InputOf<N>>) => Call<N>;

export type Method<N extends OperationName> = 'fields' extends keyof InputOf<N> ? Selecting<N, InputOf<N>, AnswerOf<N>> : Plain<N>;

/** The type of the elements of a list. */
export type ElementOf<A> = A extends { data: (infer E)[] } ? E : A;

/** An iterable for `for await`. The first request is sent when the loop starts. */
export type Elements<E> = AsyncGenerator<E, void, undefined>;

type ListInput<I> = Omit<I, 'cursor' | 'count'>;

export interface SelectingAll<I, A> {
  (...args: Arguments<Without<ListInput<I>, 'fields'>>): Elements<Whole<ElementOf<A>>>;
  <const F extends keyof ElementOf<A>>(
    input: Omit<ListInput<I>, 'fields'> & { fields: readonly F[] },
    options?: CallOptions,
  ): Elements<Picked<ElementOf<A>, F>>;
  (input: ListInput<I>, options?: CallOptions): Elements<ElementOf<A>>;
}

/** A method that iterates over all elements of a list. It requests a page when the loop reaches it. */
export type AllMethod<I, A> = 'fields' extends keyof I ? SelectingAll<I, A> : (...args: Arguments<ListInput<I>>) => Elements<ElementOf<A>>;

/** The type of the events of an operation, or never if it has no event stream. */
type Told<N extends OperationName> = Operations[N] extends { told: infer T } ? T : never;

export type LiveName = { [K in OperationName]: [Told<K>] extends [never] ? never : K }[OperationName];

/** A method that iterates over the states of a resource while the service reports changes. */
export type LiveMethod<N extends LiveName> = (...args: Arguments<InputOf<N>>) => Elements<Told<N>>;
