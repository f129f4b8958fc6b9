import type { edgeProblems } from '../../src/kernel/problem.ts';
import type { Answer, Input, Route, Upload } from '../../src/kernel/route.ts';
import type { contracts } from '../build/contracts.ts';

export type { ProblemCode } from '../../src/kernel/problem.ts';
export type { Group } from '../../src/kernel/route.ts';

/** The content of an upload. `openAsBlob` of `node:fs` opens a file on disk without reading it into memory. */
export type FileContent = Blob | Uint8Array | string;

type Contracts = typeof contracts;
type Given<P> = P extends undefined ? unknown : P;

/** Ids in a path can be numbers or strings, because the routers of web apps pass ids as strings. */
type PathOf<P> = { [K in keyof P]: P[K] extends number ? number | string : P[K] };

/**
 * The input of an operation is one object: the fields of the body are next to those of the path and the query. If a body can have
 * any field names, the input has it in the field `body`. A name that occurs in the path is sent only in the path.
 */
type BodyOf<B, P> = B extends undefined
  ? unknown
  : string extends keyof B
    ? { body: B }
    : keyof B & keyof P extends never
      ? B
      : Omit<B, keyof P>;

type FileOf<R extends Route> = R['upload'] extends Upload ? { file: FileContent; filename?: string } : unknown;

type Flat<T> = T extends unknown ? { [K in keyof T]: T[K] } : never;

/** The body of a DELETE is not part of the input. The option `payload` sends it. */
type InputBody<R extends Route> = R['method'] extends 'DELETE' ? unknown : BodyOf<Input<R>['body'], Given<Input<R>['params']>>;

/** The event of an order, if the caller knows it. Then all requests of the event can go to the same process. */
type EventOf<R extends Route> = R['inEvent'] extends true ? { eventId?: number | string } : unknown;

type InputParts<R extends Route> = PathOf<Given<Input<R>['params']>> & Given<Input<R>['query']> & InputBody<R> & FileOf<R> & EventOf<R>;

/** For a file or an event stream the answer is the `Response` itself, so that the caller can read it as it arrives. */
type AnswerTo<R extends Route> = R['sends'] extends object ? Response : R['live'] extends object ? Response : Answer<R>;

/** The type of one event of an event stream. */
type Told<R extends Route> = R['live'] extends object ? { told: Answer<R> } : unknown;

type Codes<R extends Route> = R['problems'] extends readonly (infer C)[] ? C : never;

/**
 * The input, answer and problems of each operation. The types of all methods come from here. The published package does not contain
 * the contracts. So build/ writes these types into it without imports.
 */
export type Operations = {
  [K in keyof Contracts]: {
    input: Flat<InputParts<Contracts[K]>>;
    answer: AnswerTo<Contracts[K]>;
    problem: Codes<Contracts[K]> | (typeof edgeProblems)[number];
  } & Told<Contracts[K]>;
};
