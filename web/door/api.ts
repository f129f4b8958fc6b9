import type { CheckinResult, Manifest, UndoResult } from '../../src/door/contract.ts';
import type { Counters } from '../../src/door/counters-contract.ts';
import type { DoorStart } from '../../src/door/device-contract.ts';
import type { FoundGuest } from '../../src/door/search-contract.ts';
import type { ServerClock } from './clock.ts';
import type { Credentials, Settings } from './settings.ts';

/** What the app needs to start at an event. */
export type DoorInfo = DoorStart;

export interface EventChoice {
  id: number;
  title: string;
  start: string;
}

/**
 * What a request has led to. `offline`: no response. `busy`: the server asks to try later. `signedOut`: the token is not valid any more.
 * `refused`: the server does not accept the request.
 */
export type Reply<T> =
  | { kind: 'ok'; body: T }
  | { kind: 'offline' }
  | { kind: 'busy'; retryMs: number }
  | { kind: 'signedOut' }
  | { kind: 'refused'; status: number; message: string; fields: string[] };

interface Login {
  accessToken: string;
  refreshToken: string;
  user: { name: string };
}

interface ProblemBody {
  detail?: string;
  errors?: { field?: string }[];
}

const timeoutMs = 15_000;

export class DoorApi {
  readonly #settings: Settings;
  readonly #clock: ServerClock;
  credentials: Credentials | null = null;

  constructor(settings: Settings, clock: ServerClock) {
    this.#settings = settings;
    this.#clock = clock;
  }

  async logIn(email: string, password: string): Promise<Reply<Login>> {
    const reply = await this.#send<Login>('POST', '/auth/login', { email, password }, null);
    if (reply.kind === 'ok') await this.#keep(reply.body);
    return reply;
  }

  async #keep({ accessToken, refreshToken, user }: Login): Promise<void> {
    this.credentials = { kind: 'user', name: user.name, accessToken, refreshToken };
    await this.#settings.set('credentials', this.credentials);
  }

  events(): Promise<Reply<{ data: EventChoice[] }>> {
    return this.#call('GET', '/events?pageSize=100&fields=id,title,start');
  }

  info(eventId: number): Promise<Reply<DoorInfo>> {
    return this.#call('GET', `/event/${eventId}/door`);
  }

  manifest(eventId: number, since: string | undefined): Promise<Reply<Manifest>> {
    const query = since === undefined ? 'pageSize=10000' : `pageSize=10000&since=${encodeURIComponent(since)}`;
    return this.#call('GET', `/event/${eventId}/checkins/manifest?${query}`);
  }

  counters(eventId: number, sessionId: number | null): Promise<Reply<Counters>> {
    return this.#call('GET', `/event/${eventId}/checkins/counters${sessionId === null ? '' : `?sessionId=${sessionId}`}`);
  }

  search(eventId: number, text: string, sessionId: number | null): Promise<Reply<{ data: FoundGuest[] }>> {
    const session = sessionId === null ? '' : `&sessionId=${sessionId}`;
    return this.#call('GET', `/event/${eventId}/checkins/search?q=${encodeURIComponent(text)}${session}`);
  }

  checkIn(eventId: number, entries: object[]): Promise<Reply<{ results: CheckinResult[] }>> {
    return this.#call('POST', `/event/${eventId}/checkins`, { entries });
  }

  undo(eventId: number, entries: object[]): Promise<Reply<{ results: UndoResult[] }>> {
    return this.#call('POST', `/event/${eventId}/checkins/undo`, { entries });
  }

  /** Sends a request with the token of the device or user. An access token that has expired is renewed once. */
  async #call<T>(method: string, path: string, body?: object): Promise<Reply<T>> {
    const { credentials } = this;
    if (!credentials) return { kind: 'signedOut' };
    const token = credentials.kind === 'device' ? credentials.token : credentials.accessToken;
    const reply = await this.#send<T>(method, path, body, token);
    if (reply.kind !== 'signedOut' || credentials.kind === 'device') return reply;
    const renewed = await this.#renew(credentials.accessToken);
    if (renewed.kind !== 'ok') return renewed;
    return this.#send<T>(method, path, body, this.credentials?.kind === 'user' ? this.credentials.accessToken : null);
  }

  /** A refresh token works once, so only one tab may use it. The others take the tokens that it has stored. */
  #renew(expiredToken: string): Promise<Reply<unknown>> {
    return navigator.locks.request('tessera-door-renew', async (): Promise<Reply<unknown>> => {
      const stored = await this.#settings.get('credentials');
      if (stored?.kind !== 'user') return { kind: 'signedOut' };
      this.credentials = stored;
      if (stored.accessToken !== expiredToken) return { kind: 'ok', body: null };
      const reply = await this.#send<Login>('POST', '/auth/refresh', { refreshToken: stored.refreshToken }, null);
      if (reply.kind === 'ok') await this.#keep(reply.body);
      return reply;
    });
  }

  async #send<T>(method: string, path: string, body: object | undefined, token: string | null): Promise<Reply<T>> {
    const sentAt = Date.now();
    let response: Response;
    let content: unknown;
    try {
      response = await fetch(`/v1${path}`, {
        method,
        headers: { ...(token && { authorization: `Bearer ${token}` }), ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(timeoutMs),
        cache: 'no-store',
      });
      content = await response.json().catch(() => null);
    } catch {
      return { kind: 'offline' };
    }
    this.#measureClock(response, content, sentAt);
    return toReply<T>(response, content);
  }

  /** Responses of the door have the time of the server to the millisecond. The header `Date` has only seconds. */
  #measureClock(response: Response, content: unknown, sentAt: number): void {
    const { now, generatedAt } = (content ?? {}) as { now?: string; generatedAt?: string };
    const exact = Date.parse(now ?? generatedAt ?? '');
    const serverNow = Number.isNaN(exact) ? Date.parse(response.headers.get('date') ?? '') + 500 : exact;
    if (!Number.isNaN(serverNow)) this.#clock.measure({ serverNow, sentAt, receivedAt: Date.now() });
  }
}

function toReply<T>(response: Response, content: unknown): Reply<T> {
  const { status } = response;
  if (response.ok && content !== null) return { kind: 'ok', body: content as T };
  // A page that a captive portal of the network shows instead of a response.
  if (response.ok) return { kind: 'offline' };
  if (status === 401) return { kind: 'signedOut' };
  if (status === 429 || status >= 500) return { kind: 'busy', retryMs: Number(response.headers.get('retry-after') ?? 5) * 1_000 };
  const { detail = '', errors = [] } = (content ?? {}) as ProblemBody;
  return { kind: 'refused', status, message: detail, fields: errors.map(({ field = '' }) => field) };
}
