import type { edgeProblems } from '../../src/kernel/problem.ts';
import type { Answer, Input, Route, Upload } from '../../src/kernel/route.ts';
import type { contracts } from '../build/contracts.ts';

export type { ProblemCode } from '../../src/kernel/problem.ts';
export type { Group } from '../../src/kernel/route.ts';

/** What an upload takes: `openAsBlob` of `node:fs` makes one of a file on disk without reading it into memory. */
export type FileContent = Blob | Uint8Array | string;

type Contracts = typeof contracts;
type Given<P> = P extends undefined ? unknown : P;

/** Ids in a path may be written as text too, as a router hands them over. */
type PathOf<P> = { [K in keyof P]: P[K] extends number ? number | string : P[K] };

/**
 * The fields of a body stand beside those of path and query; a body whose names are free stands under `body`. A name of the path is sent
 * in the path only.
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

/** The body of a DELETE is not part of the input: it is sent by the option `payload`. */
type InputBody<R extends Route> = R['method'] extends 'DELETE' ? unknown : BodyOf<Input<R>['body'], Given<Input<R>['params']>>;

type InputParts<R extends Route> = PathOf<Given<Input<R>['params']>> & Given<Input<R>['query']> & InputBody<R> & FileOf<R>;

/** A file, and events as they come, are the response itself, to be read as it arrives. */
type AnswerTo<R extends Route> = R['sends'] extends object ? Response : R['live'] extends object ? Response : Answer<R>;

/** What each of the events tells. */
type Told<R extends Route> = R['live'] extends object ? { told: Answer<R> } : unknown;

type Codes<R extends Route> = R['problems'] extends readonly (infer C)[] ? C : never;

/** What the methods' types are made of. The package has the same written out (see build/), as who installs it has no contracts. */
export type Operations = {
  [K in keyof Contracts]: {
    input: Flat<InputParts<Contracts[K]>>;
    answer: AnswerTo<Contracts[K]>;
    problem: Codes<Contracts[K]> | (typeof edgeProblems)[number];
  } & Told<Contracts[K]>;
};
