import type { CallOptions, Fetch } from './call.ts';
import { solveChallenge } from './challenge.ts';
import { isProblem, NoAnswer } from './problem.ts';
import { hasFile, sendWithProgress } from './progress.ts';
import { readAnswer } from './read-answer.ts';
import type { Request } from './request.ts';
import { sleep, waitBeforeRetry } from './retry.ts';

/** One attempt to send a request, as the hooks see it. */
export interface SentRequest {
  operation: string;
  method: string;
  /** The URL with its query string. */
  url: string;
  attempt: number;
  /** All headers except the token and the secret of an order. Headers that a hook adds here are sent. */
  headers: Headers;
}

export interface Hooks {
  onRequest?: (request: SentRequest) => void;
  onResponse?: (response: SentRequest & { status: number; responseHeaders: Headers; ms: number }) => void;
  onRetry?: (retry: SentRequest & { reason: unknown; waitMs: number }) => void;
}

export interface SendOptions {
  /** Replaces the `fetch` of the platform. */
  fetch?: Fetch;
  hooks?: Hooks;
  /** Headers to send with every request. */
  headers?: Record<string, string>;
  timeoutMs?: number;
  retries?: number;
  /** By default the client solves a challenge and sends the order again. With false it throws `challenge_required` instead. */
  solveChallenges?: boolean;
}

/** Supplies the token of a request, and another token if the service refuses the first. */
export interface Bearer {
  bearer(): Promise<string | undefined>;
  renew(refused: string): Promise<string | undefined>;
}

const defaultTimeoutMs = 30_000;
const defaultRetries = 2;
/** The maximum number of challenges per call. While the client solves a challenge, the service may start to require a harder one. */
const maxChallenges = 3;

export type Send = (request: Request, base: string, bearer: Bearer, options: CallOptions) => Promise<unknown>;

export function createSend(config: SendOptions): Send {
  const { hooks = {} } = config;

  return async (request, base, { bearer, renew }, options) => {
    const { signal, retries = config.retries ?? defaultRetries } = options;
    const headers = headersOf(request, config, options);
    let token = await unlessAborted(bearer(), signal);
    let renewed = false;
    let { body } = request;
    for (let attempt = 1, retried = 0, solved = 0; ; attempt++) {
      const sent = { operation: request.operation, method: request.method, url: base + request.path, attempt, headers };
      try {
        return await sendOnce(sent, { ...request, body }, token, config, options);
      } catch (reason) {
        signal?.throwIfAborted();
        if (token && !renewed && isProblem(reason, 'invalid_token')) {
          renewed = true;
          const next = await unlessAborted(renew(token), signal);
          if (!next || next === token) throw reason;
          token = next;
          continue;
        }
        if (solved < maxChallenges && isProblem(reason, 'challenge_required') && canSolve(config)) {
          solved++;
          body = JSON.stringify({ ...JSON.parse(body as string), challenge: await solveChallenge(reason.challenge, signal) });
          continue;
        }
        const waitMs = retried < retries ? waitBeforeRetry(reason, retried) : null;
        if (waitMs === null) throw reason;
        retried++;
        hooks.onRetry?.({ ...sent, reason, waitMs });
        await sleep(waitMs, signal);
      }
    }
  };
}

/** Whether the client can solve challenges. It needs `crypto.subtle`, which browsers offer only on HTTPS pages. */
const canSolve = ({ solveChallenges = true }: SendOptions): boolean => solveChallenges && globalThis.crypto?.subtle !== undefined;

function headersOf({ method, body, streamed }: Request, config: SendOptions, { headers, idempotencyKey, ifMatch }: CallOptions): Headers {
  const all = new Headers({ accept: hasFile(body) || streamed ? '*/*' : 'application/json', ...config.headers, ...headers });
  // For a form the platform sets the content type, because only the platform knows the boundary.
  if (typeof body === 'string') all.set('content-type', 'application/json');
  if (method !== 'GET') all.set('idempotency-key', idempotencyKey ?? randomKey());
  if (ifMatch !== undefined) all.set('if-match', ifMatch);
  return all;
}

/** Returns a random idempotency key. It does not use `randomUUID`, because browsers offer `randomUUID` only on HTTPS pages. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

async function sendOnce(
  sent: SentRequest,
  { body, streamed, secret }: Request,
  token: string | undefined,
  config: SendOptions,
  options: CallOptions,
) {
  const { signal, onProgress, timeoutMs = config.timeoutMs ?? (hasFile(body) ? 0 : defaultTimeoutMs) } = options;
  config.hooks?.onRequest?.(sent);
  const started = performance.now();
  const headers = new Headers(sent.headers);
  if (token) headers.set('authorization', `Bearer ${token}`);
  if (secret !== undefined) headers.set('order-secret', secret);
  const { response, text } = await withinTime(timeoutMs, signal, streamed, async (limited) => {
    const init = { method: sent.method, headers, signal: limited, ...(body !== undefined && { body }) };
    const response = await (onProgress && hasFile(body)
      ? sendWithProgress(sent.url, { ...init, body }, onProgress, config.fetch)
      : (config.fetch ?? fetch)(sent.url, init));
    return { response, text: streamed && response.status < 300 ? null : await response.text() };
  });
  const ms = performance.now() - started;
  const { status, headers: responseHeaders } = response;
  config.hooks?.onResponse?.({ ...sent, status, responseHeaders, ms });
  return text === null ? response : readAnswer({ status, headers: responseHeaders, text });
}

/**
 * Runs `work` with a timeout. If the caller aborts, it throws the caller's reason; for any other failure it throws `NoAnswer`.
 * The caller can still abort a streamed response after this function has returned.
 */
async function withinTime<T>(
  timeoutMs: number,
  signal: AbortSignal | undefined,
  streamed: boolean,
  work: (limited: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const limit = new AbortController();
  const abort = () => limit.abort(signal?.reason);
  signal?.addEventListener('abort', abort);
  const timer = timeoutMs > 0 ? setTimeout(() => limit.abort(), timeoutMs) : undefined;
  try {
    return await work(limit.signal);
  } catch (cause) {
    signal?.throwIfAborted();
    if (limit.signal.aborted) throw new NoAnswer('timeout', `No response within ${timeoutMs} ms`, cause);
    throw new NoAnswer('network', 'No response: the connection failed', cause);
  } finally {
    clearTimeout(timer);
    if (!streamed) signal?.removeEventListener('abort', abort);
  }
}

/** Stops waiting for `work` when `signal` is aborted. The work itself continues, because other calls may wait for the same tokens. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
