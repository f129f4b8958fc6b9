import type { Operations } from './api.ts';

export type OperationName = keyof Operations;
export type InputOf<N extends OperationName> = Operations[N]['input'];
export type AnswerOf<N extends OperationName> = Operations[N]['answer'];

export type QueryValue = string | number | boolean | Date | null | undefined | readonly (string | number)[];
export type Query = Record<string, QueryValue>;

/** What any call takes beside its input. */
export interface CallOptions {
  /** Gives up the call, retries and all. */
  signal?: AbortSignal;
  /** For one attempt; 0 for no limit. 30 seconds when left out, no limit for an upload. */
  timeoutMs?: number;
  /** How often to try again after a lost connection or a busy service; 2 when left out. */
  retries?: number;
  /** Of a write; made up when left out. With the same key the same request is done once, within seven days. */
  idempotencyKey?: string;
  /** Of a write: only if the resource is still in this version, see `etagOf`. */
  ifMatch?: string;
  headers?: Record<string, string>;
  /** Sent along in the query string. */
  query?: Query;
  /** Sent along as the body of a DELETE. */
  payload?: object;
  /** Of an upload; told where the platform can tell. */
  onProgress?: (progress: Progress) => void;
}

/** As much of `fetch` as is used. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** In bytes of the file. */
export interface Progress {
  sent: number;
  total: number;
}

/** A promise of the answer that knows what was asked, see `outcome`. */
export interface Call<N extends OperationName, A = AnswerOf<N>> extends Promise<A> {
  readonly operation: N;
}

/** Asks the service; every method comes down to it. */
export type Caller = <N extends OperationName>(name: N, input?: InputOf<N>, options?: CallOptions) => Call<N>;

export type Arguments<I> = Partial<I> extends I ? [input?: I, options?: CallOptions] : [input: I, options?: CallOptions];

/** Each event of the answer whole, as it is when no `fields` are asked for. */
type Whole<A> = A extends { data: (infer E)[] } ? Omit<A, 'data'> & { data: Whole<E>[] } : Required<A>;

/** Each event of the answer with just these fields. */
type Picked<A, F> = A extends { data: (infer E)[] } ? Omit<A, 'data'> & { data: Picked<E, F>[] } : Pick<Required<A>, F & keyof A>;

type Without<I, K extends string> = Omit<I, K> & { [P in K]?: never };

/** A method whose input has `fields`: a list of names, or text with commas, of which the type cannot know what comes. */
export interface Selecting<N extends OperationName, I, A> {
  (...args: Arguments<Without<I, 'fields'>>): Call<N, Whole<A>>;
  <const F extends keyof ElementOf<A>>(input: Omit<I, 'fields'> & { fields: readonly F[] }, options?: CallOptions): Call<N, Picked<A, F>>;
  (input: I, options?: CallOptions): Call<N, A>;
}

/** A method that takes what its operation takes and answers what it answers. */
export type Plain<N extends OperationName> = (...args: Arguments<InputOf<N>>) => Call<N>;

export type Method<N extends OperationName> = 'fields' extends keyof InputOf<N> ? Selecting<N, InputOf<N>, AnswerOf<N>> : Plain<N>;

/** What a list is a list of. */
export type ElementOf<A> = A extends { data: (infer E)[] } ? E : A;

/** To be iterated over with `for await`; nothing is asked for before. */
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

/** Everything in a list, page after page, as it is iterated over. */
export type AllMethod<I, A> = 'fields' extends keyof I ? SelectingAll<I, A> : (...args: Arguments<ListInput<I>>) => Elements<ElementOf<A>>;

/** What the events of an operation tell, where it has any. */
type Told<N extends OperationName> = Operations[N] extends { told: infer T } ? T : never;

export type LiveName = { [K in OperationName]: [Told<K>] extends [never] ? never : K }[OperationName];

/** What a resource comes to be, as the service tells it. */
export type LiveMethod<N extends LiveName> = (...args: Arguments<InputOf<N>>) => Elements<Told<N>>;
