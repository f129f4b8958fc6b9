import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { Problem, type ProblemCode, retryLater } from '../kernel/problem.ts';
import { isUnavailable } from '../postgres/unavailable.ts';
import { problemResponse } from './stored-response.ts';

const frameworkCodes: Record<string, ProblemCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'malformed_request',
  FST_ERR_CTP_INVALID_TYPE: 'unsupported_media_type',
  FST_ERR_BAD_URL: 'not_found',
  FST_ERR_MAX_PARAM_LENGTH: 'not_found',
  FST_ERR_UNDER_PRESSURE: 'overloaded',
};

const advice: Partial<Record<ProblemCode, string>> = {
  payload_too_large:
    'Send a smaller body. The limit is 16 KB for operations that need no account and 1 MB for others, unless the API reference states another one.',
  unsupported_media_type: 'Send JSON with the header Content-Type: application/json.',
};

/** Turns any error into a problem. An unexpected error is a bug; its message is logged but not sent to the client. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (isUnavailable(error)) return retryLater('unavailable', 1, 'The database is unavailable or too busy. Try again.');
  const { code, statusCode = 500 } = error as Partial<FastifyError>;
  const known = frameworkCodes[code ?? ''];
  if (known === 'overloaded') return retryLater('overloaded', 2);
  if (known) return new Problem(known, advice[known]);
  if (statusCode === 413) return new Problem('payload_too_large', advice.payload_too_large);
  if (statusCode === 415) return new Problem('unsupported_media_type', advice.unsupported_media_type);
  if (statusCode >= 400 && statusCode < 500) return new Problem('malformed_body');
  return new Problem('internal_error', 'An unexpected error occurred. It is logged with the requestId of this response.');
}

export function sendProblem(request: FastifyRequest, reply: FastifyReply, problem: Problem): FastifyReply {
  const { status, headers, body } = problemResponse(problem, request.id);
  return reply
    .code(status)
    .headers({ ...headers, 'cache-control': 'no-store', 'x-request-id': request.id })
    .send(body);
}
