export type * from './api.ts';
export type {
  AnswerOf,
  Arguments,
  Call,
  CallOptions,
  Elements,
  Fetch,
  InputOf,
  LiveMethod,
  OperationName,
  Plain,
  Progress,
  Query,
  QueryValue,
  Selecting,
  SelectingAll,
} from './call.ts';
export { type Challenge, solveChallenge } from './challenge.ts';
export { type Client, type ClientOptions, createClient } from './client.ts';
export { type Environment, environments, type Hosts } from './hosts.ts';
export { type InputError, isProblem, NoAnswer, type Outcome, outcome, Problem, type ProblemOf, UnexpectedAnswer } from './problem.ts';
export { etagOf } from './read-answer.ts';
export type { Hooks, SentRequest } from './send.ts';
export type { SessionOptions, Tokens } from './session.ts';
