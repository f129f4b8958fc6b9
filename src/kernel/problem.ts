/**
 * All expected failures of the API, as RFC 9457 problems. Clients depend on the codes, so a code is never renamed or removed.
 * A route lists the codes that its handler may return; `edgeProblems` can occur on any route.
 */
export const problems = {
  invalid_input: { status: 400, title: 'Some fields are missing or invalid.' },
  malformed_body: { status: 400, title: 'The request body cannot be parsed.' },
  malformed_request: { status: 400, title: 'The request is not valid HTTP.' },
  not_authenticated: { status: 401, title: 'Authentication is required.' },
  invalid_token: { status: 401, title: 'The access token is invalid or expired.' },
  invalid_credentials: { status: 401, title: 'The e-mail or the password is wrong.' },
  invalid_signature: { status: 401, title: 'The signature of the request is missing or invalid.' },
  invalid_refresh_token: { status: 401, title: 'The refresh token is invalid or expired.' },
  second_factor_required: { status: 401, title: 'The password is correct. A second factor is required.' },
  invalid_second_factor: { status: 401, title: 'The second factor is wrong.' },
  invalid_one_time_token: { status: 401, title: 'The token is unknown, expired or used.' },
  forbidden: { status: 403, title: 'Your role does not allow this.' },
  passkey_rejected: { status: 403, title: 'The passkey is unknown or not valid now.' },
  waiting_room: { status: 403, title: 'This sale has a waiting room. Wait for your turn.' },
  not_found: { status: 404, title: 'Not found, or not visible to you.' },
  method_not_allowed: { status: 405, title: 'This path does not support that method.' },
  request_timeout: { status: 408, title: 'The request took too long to arrive.' },
  already_exists: { status: 409, title: 'An object with this unique value already exists.' },
  sold_out: { status: 409, title: 'Not enough tickets are left.' },
  not_on_sale: { status: 409, title: 'The item is not on sale now.' },
  buyer_limit: { status: 409, title: 'The order exceeds the limit per buyer.' },
  buyer_required: { status: 409, title: 'The order has no buyer yet.' },
  hold_expired: { status: 409, title: 'The hold has expired.' },
  payment_declined: { status: 409, title: 'The payment was declined.' },
  withdrawal_closed: { status: 409, title: 'The buyer can no longer withdraw from this order.' },
  wrong_state: { status: 409, title: 'Not possible in the current state.' },
  code_in_use: { status: 409, title: 'The code is assigned to a ticket or already used.' },
  last_owner: { status: 409, title: 'A producer needs at least one owner.' },
  cursor_expired: { status: 410, title: 'The cursor is too old. Changes after it were already deleted.' },
  link_expired: { status: 410, title: 'The file is no longer available.' },
  stale_version: { status: 412, title: 'The resource has changed since you read it. Read it again.' },
  payload_too_large: { status: 413, title: 'The request body is too large.' },
  uri_too_long: { status: 414, title: 'The URL is too long.' },
  unsupported_media_type: { status: 415, title: 'The content type of the request body is not supported.' },
  range_not_satisfiable: { status: 416, title: 'The requested range is outside the file.' },
  rule_violation: { status: 422, title: 'The request is well-formed but breaks a business rule.' },
  payment_method_unavailable: { status: 422, title: 'This payment method is not available here.' },
  codes_rejected: { status: 422, title: 'Some rows of the file cannot be imported.' },
  idempotency_key_reused: { status: 422, title: 'This Idempotency-Key was used for a different request.' },
  challenge_required: { status: 428, title: 'Solve the challenge and send the order again with the solution.' },
  rate_limited: { status: 429, title: 'Too many requests. Try again later.' },
  headers_too_large: { status: 431, title: 'The request headers are too large.' },
  internal_error: { status: 500, title: 'Internal error.' },
  overloaded: { status: 503, title: 'The service is busy. Try again later.' },
  unavailable: { status: 503, title: 'The service is not available now. Try again later.' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemCode = keyof typeof problems;

/** Codes that `src/http` itself may return on any route, before or after the handler runs. */
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
  'unavailable',
] as const satisfies readonly ProblemCode[];

export interface InputError {
  in: 'body' | 'query' | 'path' | 'header';
  field: string;
  code: string;
  message: string;
}

export interface ProblemDetails {
  errors?: InputError[];
  /** Additional members of the response body, such as the remaining quantity. */
  extra?: Record<string, unknown>;
  headers?: Record<string, string>;
}

/** An expected failure. Throwing it rolls back the transaction of the request; returning it from a handler commits the changes. */
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

  /** The body of the response. */
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

/** Creates a 422 problem for one field of the body that breaks a business rule. */
export function ruleViolation(field: string, code: string, message: string, extra: Record<string, unknown> = {}): Problem {
  return new Problem('rule_violation', message, { errors: [{ in: 'body', field, code, message }], extra });
}

export function retryLater(code: 'rate_limited' | 'overloaded' | 'unavailable', seconds: number, detail?: string): Problem {
  return new Problem(code, detail, { headers: { 'retry-after': String(Math.max(1, Math.ceil(seconds))) } });
}
