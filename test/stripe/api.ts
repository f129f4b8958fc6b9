import { findAccount, platformAccount } from './accounts.ts';
import { internalError, invalidRequest, lockTimeout, noAccessToAccount, rateLimited, StripeFailure, wrongKey } from './errors.ts';
import type { Faults } from './faults.ts';
import { type Form, parseForm } from './form.ts';
import { IdempotencyKeys, type KeyedRequest } from './idempotency.ts';
import { type Execute, prepare } from './routes.ts';
import { apiVersion, type Caller, type State } from './state.ts';

interface ApiRequest {
  method: string;
  path: string;
  query: string;
  headers: Record<string, string | undefined>;
  body: string;
}

export interface ApiResponse {
  status: number;
  body: unknown;
  headers: Record<string, string>;
  /** The connection is closed instead of the response, or after half of its body. */
  cut?: 'body' | 'connection';
}

export interface RequestRecord {
  method: string;
  path: string;
  account: string | null;
  idempotencyKey: string | null;
  status: number;
  replayed: boolean;
  cut: boolean;
}

interface Result {
  status: number;
  body: unknown;
  replayOf?: string;
}

const cutConnection: ApiResponse = { status: 0, body: null, headers: {}, cut: 'connection' };

/** The HTTP API without sockets: checks a request, applies the faults, executes it once per idempotency key. */
export class Api {
  /** All requests, including those that failed. */
  readonly log: RequestRecord[] = [];
  readonly #state: State;
  readonly #faults: Faults;
  readonly #keys: IdempotencyKeys;

  constructor(state: State, faults: Faults) {
    this.#state = state;
    this.#faults = faults;
    this.#keys = new IdempotencyKeys(state);
  }

  async respond(request: ApiRequest): Promise<ApiResponse> {
    const requestId = this.#state.newId('req');
    const response = await this.#respond(request, requestId);
    this.log.push({
      method: request.method,
      path: request.path,
      account: request.headers['stripe-account'] ?? null,
      idempotencyKey: request.headers['idempotency-key'] ?? null,
      status: response.status,
      replayed: 'idempotent-replayed' in response.headers,
      cut: response.cut !== undefined,
    });
    return response;
  }

  async #respond(request: ApiRequest, requestId: string): Promise<ApiResponse> {
    const { method, path } = request;
    let result: Result;
    try {
      const caller = this.#authenticate(request, requestId);
      const fault = this.#faults.take('arrival', method, path)?.fault.kind;
      if (fault === 'cut_before_effect') return cutConnection;
      if (fault === 'rate_limit') throw rateLimited();
      if (fault === 'lock_timeout') throw lockTimeout();
      result = await this.#run(request, caller, requestId);
    } catch (error) {
      result = failed(error);
    }
    const late = this.#faults.take('response', method, path);
    if (late?.fault.kind === 'hold_after_effect') await late.hold();
    if (late?.fault.kind === 'cut_after_effect') return { ...cutConnection, status: result.status };
    const response = { status: result.status, body: result.body, headers: headersOf(request, result, requestId) };
    return late?.fault.kind === 'cut_body' ? { ...response, cut: 'body' } : response;
  }

  #authenticate({ headers }: ApiRequest, requestId: string): Caller {
    const key = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
    if (!key) {
      const message =
        "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY').";
      throw invalidRequest(message, {}, 401);
    }
    if (key !== this.#state.secretKey) throw wrongKey(key);
    // Stripe uses the default version of the account if the header is absent. The product must not depend on that default.
    const version = headers['stripe-version'];
    if (!version) throw invalidRequest('The stand-in requires the header Stripe-Version.');
    if (version !== apiVersion) throw invalidRequest(`Invalid Stripe API version: ${version}`);
    const account = headers['stripe-account'] ?? null;
    if (account && !findAccount(this.#state, account)) throw noAccessToAccount(key, account);
    const idempotencyKey = headers['idempotency-key'] ?? null;
    return { account: account === platformAccount ? null : account, requestId, idempotencyKey };
  }

  async #run(request: ApiRequest, caller: Caller, requestId: string): Promise<Result> {
    const { method, path } = request;
    const form = formOf(request);
    const { account, idempotencyKey: key } = caller;
    if (method !== 'POST' || !key) return this.#execute(request, prepare(method, path, form), caller);
    if (key.length > 255) throw invalidRequest('Idempotency keys have at most 255 characters.');
    const keyed: KeyedRequest = { key, account, method, path, form };
    const saved = this.#keys.find(keyed);
    if (saved) return { status: saved.status, body: saved.body, replayOf: saved.requestId };
    const execute = prepare(method, path, form);
    this.#keys.begin(keyed);
    try {
      return await this.#execute(request, execute, caller, ({ status, body }) => this.#keys.save(keyed, { status, body, requestId }));
    } finally {
      this.#keys.end(keyed);
    }
  }

  /** The effect and the stored response are written to the journal together. */
  async #execute({ method, path }: ApiRequest, execute: Execute, caller: Caller, save: (result: Result) => void = () => undefined) {
    const active = this.#faults.take('execution', method, path);
    const kind = active?.fault.kind;
    if (kind === 'hold_before_effect') await active?.hold();
    let result: Result;
    try {
      if (kind === 'api_error') throw internalError();
      const declined = kind === 'card_declined' && { declineCode: active?.fault.declineCode ?? 'generic_decline' };
      result = { status: 200, body: execute(this.#state, { ...caller, ...declined }) };
      if (kind === 'api_error_after_effect') throw internalError();
    } catch (error) {
      result = failed(error);
    }
    save(result);
    this.#state.store.flush();
    return result;
  }
}

function failed(error: unknown): Result {
  if (!(error instanceof StripeFailure)) throw error;
  return { status: error.status, body: { error: error.body } };
}

function formOf({ method, query, headers, body }: ApiRequest): Form {
  if (method === 'GET') return parseForm(query);
  const type = headers['content-type'] ?? '';
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type) || query) {
    throw invalidRequest('Invalid request (check that your POST content type is application/x-www-form-urlencoded).');
  }
  return parseForm(body);
}

function headersOf({ method, headers }: ApiRequest, { status, replayOf }: Result, requestId: string): Record<string, string> {
  const key = method === 'POST' ? headers['idempotency-key'] : undefined;
  const account = headers['stripe-account'];
  return {
    'request-id': requestId,
    'stripe-version': apiVersion,
    ...(account && { 'stripe-account': account }),
    ...(key && { 'idempotency-key': key, 'original-request': replayOf ?? requestId }),
    ...(replayOf && { 'idempotent-replayed': 'true' }),
    // A retry with the same key would return the stored error again.
    ...(key && status === 500 && { 'stripe-should-retry': 'false' }),
  };
}
