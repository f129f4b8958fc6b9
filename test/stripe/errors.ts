type ErrorType = 'api_error' | 'card_error' | 'idempotency_error' | 'invalid_request_error';

/** The object `error` of a response. Fields that do not apply are absent, as at Stripe. */
interface ErrorBody {
  type: ErrorType;
  message: string;
  code?: string;
  decline_code?: string;
  doc_url?: string;
  param?: string;
  charge?: string;
  payment_intent?: unknown;
  payment_method?: unknown;
}

/** A request that fails. The server sends `{ error: body }` with this status. */
export class StripeFailure extends Error {
  readonly status: number;
  readonly body: ErrorBody;

  constructor(status: number, body: ErrorBody) {
    super(body.message);
    this.status = status;
    this.body = body.code ? { ...body, doc_url: documentationOf(body.code) } : body;
  }
}

export const documentationOf = (code: string): string => `https://stripe.com/docs/error-codes/${code.replaceAll('_', '-')}`;

type Details = Omit<ErrorBody, 'type' | 'message'>;

export const invalidRequest = (message: string, details: Details = {}, status = 400): StripeFailure =>
  new StripeFailure(status, { type: 'invalid_request_error', message, ...details });

export const unknownParameter = (param: string): StripeFailure =>
  invalidRequest(`Received unknown parameter: ${param}`, { code: 'parameter_unknown', param });

export const missingParameter = (param: string): StripeFailure =>
  invalidRequest(`Missing required param: ${param}.`, { code: 'parameter_missing', param });

/** Stripe returns 404 if the id is part of the path, and 400 if it is a parameter. */
export const noSuchObject = (kind: string, id: string, param: string, status: 400 | 404 = 404): StripeFailure =>
  invalidRequest(`No such ${kind}: '${id}'`, { code: 'resource_missing', param }, status);

export const noAccessToAccount = (key: string, account: string): StripeFailure =>
  invalidRequest(
    `The provided key '${redacted(key)}' does not have access to account '${account}' (or that account does not exist). Application access may have been revoked.`,
    { code: 'account_invalid' },
    403,
  );

export const wrongKey = (key: string): StripeFailure => invalidRequest(`Invalid API Key provided: ${redacted(key)}`, {}, 401);

const redacted = (key: string): string => `${key.slice(0, 8)}${'*'.repeat(Math.max(0, key.length - 12))}${key.slice(-4)}`;

export const rateLimited = (): StripeFailure =>
  invalidRequest(
    'Request rate limit exceeded. You can learn more about rate limits here https://stripe.com/docs/rate-limits.',
    { code: 'rate_limit' },
    429,
  );

export const lockTimeout = (): StripeFailure =>
  invalidRequest(
    'This object cannot be accessed right now because another API request or Stripe process is currently accessing it. If you see this error intermittently, retry the request.',
    { code: 'lock_timeout' },
    429,
  );

export const internalError = (): StripeFailure =>
  new StripeFailure(500, { type: 'api_error', message: 'An unknown error occurred on our side. Please try again later.' });

export const keyReused = (key: string, paths?: { now: string; first: string }): StripeFailure =>
  new StripeFailure(400, {
    type: 'idempotency_error',
    message: paths
      ? `Keys for idempotent requests can only be used for the same endpoint they were first used for ('${paths.now}' vs '${paths.first}'). Try using a key other than '${key}' if you meant to execute a different request.`
      : `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
  });

export const keyInUse = (key: string): StripeFailure =>
  invalidRequest(
    `There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, and the other request is still going through): ${key}. Please try again later.`,
    { code: 'idempotency_key_in_use' },
    409,
  );
