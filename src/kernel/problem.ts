/**
 * The closed list of everything that can go wrong on purpose (RFC 9457). A code is a promise to clients: add, never rename.
 * A route lists the codes its handler may answer; the edge adds the ones that any request can meet.
 */
export const problems = {
  invalid_input: { status: 400, title: 'The request has missing or wrong fields' },
  malformed_body: { status: 400, title: 'The request body cannot be read' },
  malformed_request: { status: 400, title: 'The request is not valid HTTP' },
  not_authenticated: { status: 401, title: 'Sign in first' },
  invalid_token: { status: 401, title: 'The access token is not accepted' },
  invalid_credentials: { status: 401, title: 'E-mail or password is wrong' },
  invalid_signature: { status: 401, title: 'The request is not signed by who it is said to come from' },
  invalid_refresh_token: { status: 401, title: 'The refresh token is not accepted' },
  forbidden: { status: 403, title: 'Your role does not allow this' },
  passkey_rejected: { status: 403, title: 'The passkey does not open anything now' },
  not_found: { status: 404, title: 'There is no such thing here' },
  method_not_allowed: { status: 405, title: 'This address does not take that method' },
  request_timeout: { status: 408, title: 'The request took too long to arrive' },
  already_exists: { status: 409, title: 'It exists already' },
  sold_out: { status: 409, title: 'Not enough of it is left' },
  not_on_sale: { status: 409, title: 'It is not on sale now' },
  buyer_limit: { status: 409, title: 'One buyer may not have more of it' },
  hold_expired: { status: 409, title: 'The hold has expired' },
  payment_declined: { status: 409, title: 'The payment was declined' },
  withdrawal_closed: { status: 409, title: 'The buyer cannot withdraw from it' },
  wrong_state: { status: 409, title: 'That is not possible in its present state' },
  code_in_use: { status: 409, title: 'The code belongs to a ticket' },
  last_owner: { status: 409, title: 'A producer keeps at least one owner' },
  link_expired: { status: 410, title: 'The file is no longer kept' },
  stale_version: { status: 412, title: 'The resource has changed since you read it' },
  payload_too_large: { status: 413, title: 'The request body is too large' },
  uri_too_long: { status: 414, title: 'The address is too long' },
  unsupported_media_type: { status: 415, title: 'The request body has an unsupported content type' },
  range_not_satisfiable: { status: 416, title: 'The file has no such part' },
  rule_violation: { status: 422, title: 'The request is well-formed but breaks a rule' },
  payment_method_unavailable: { status: 422, title: 'This shop does not take that payment method' },
  codes_rejected: { status: 422, title: 'Some rows of the file cannot be imported' },
  idempotency_key_reused: { status: 422, title: 'This Idempotency-Key was used for another request' },
  challenge_required: { status: 428, title: 'Solve the challenge and send the order again with the solution' },
  rate_limited: { status: 429, title: 'Too many requests' },
  headers_too_large: { status: 431, title: 'The request headers are too large' },
  internal_error: { status: 500, title: 'The service failed' },
  overloaded: { status: 503, title: 'The service is busy' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemCode = keyof typeof problems;

/** Codes the edge itself answers, on any route, before or after the handler. */
export const edgeProblems = [
  'invalid_input',
  'malformed_body',
  'not_authenticated',
  'invalid_token',
  'forbidden',
  'not_found',
  'request_timeout',
  'payload_too_large',
  'unsupported_media_type',
  'stale_version',
  'idempotency_key_reused',
  'rate_limited',
  'internal_error',
  'overloaded',
] as const satisfies readonly ProblemCode[];

export interface InputError {
  in: 'body' | 'query' | 'path' | 'header';
  field: string;
  code: string;
  message: string;
}

export interface ProblemDetails {
  errors?: InputError[];
  /** Members of the answer beyond RFC 9457's own, e.g. what is still available. */
  extra?: Record<string, unknown>;
  headers?: Record<string, string>;
}

/** An expected failure. Thrown, it undoes the request's transaction; returned by a handler, what was written stays. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly details: ProblemDetails;

  constructor(code: ProblemCode, detail?: string, details: ProblemDetails = {}) {
    super(detail ?? problems[code].title);
    this.name = 'Problem';
    this.code = code;
    this.details = details;
  }

  get status(): number {
    return problems[this.code].status;
  }

  /** The body of the answer. */
  describe(requestId: string): Record<string, unknown> {
    const { status, title } = problems[this.code];
    return {
      type: `urn:tessera:problem:${this.code}`,
      title,
      status,
      code: this.code,
      detail: this.message,
      requestId,
      ...(this.details.errors && { errors: this.details.errors }),
      ...this.details.extra,
    };
  }
}

/** A rule of the domain was broken by one named field of the payload. */
export function ruleViolation(field: string, code: string, message: string, extra: Record<string, unknown> = {}): Problem {
  return new Problem('rule_violation', message, { errors: [{ in: 'body', field, code, message }], extra });
}

export function retryLater(code: 'rate_limited' | 'overloaded', seconds: number, detail?: string): Problem {
  return new Problem(code, detail, { headers: { 'retry-after': String(Math.max(1, Math.ceil(seconds))) } });
}
