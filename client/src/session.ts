import type { AnswerOf } from './call.ts';
import { isProblem } from './problem.ts';

/** The tokens of a login. A refresh token can be used only once, so always store the newest one. */
export interface Tokens {
  accessToken: string;
  /** Missing if the refresh token is in a cookie. */
  refreshToken?: string;
  /** The expiry of the access token, in milliseconds since 1970. The client renews the token shortly before. */
  expiresAt?: number;
}

/**
 * How the client authenticates: with a token, with a function that returns one, with e-mail and password, with the tokens of an earlier
 * login, or with the cookie of an earlier login.
 */
export interface SessionOptions {
  /** A token, or a function that returns one. After the service has refused a token, the function gets the refused token as its argument. */
  token?: string | ((refused?: string) => string | undefined | Promise<string | undefined>);
  login?: { email: string; password: string };
  tokens?: Tokens;
  /**
   * For pages on the site of the service. The refresh token is in a cookie, which scripts cannot read. The client gets an access token before
   * its first call. Log in with `auth.login({ email, password, session: 'cookie' })`.
   */
  session?: 'cookie';
  /** Called with new tokens, and with null when the tokens are no longer valid. */
  onTokens?: (tokens: Tokens | null) => void;
}

type Login = AnswerOf<'login'>;

/** Sends the two requests that return tokens. The client passes the new tokens to `keep`. */
export interface Issuer {
  login(input: { email: string; password: string }): Promise<unknown>;
  refresh(input: { refreshToken?: string }): Promise<unknown>;
}

export interface Session {
  bearer(): Promise<string | undefined>;
  /** Returns a token that differs from the refused token, or undefined if there is no other token. */
  renew(refused: string): Promise<string | undefined>;
  keep(login: Login): void;
  /** Forgets tokens and credentials, so that the client does not log in again by itself after a logout. */
  end(): void;
}

const renewBeforeExpiryMs = 10_000;

/** The part of the Web Locks API that is used here. */
interface Locks {
  request<T>(name: string, work: () => Promise<T>): Promise<T>;
}

/** All tabs share one cookie. If two tabs refreshed at the same time, both would send the same refresh token, and the session would end. */
function oneTabAtATime<T>(work: () => Promise<T>): Promise<T> {
  const { locks } = (globalThis as { navigator?: { locks?: Locks } }).navigator ?? {};
  return locks ? locks.request('tessera-session', work) : work();
}

export function createSession({ token, login, tokens: first, session, onTokens }: SessionOptions, issuer: Issuer): Session {
  let tokens: Tokens | null = first ?? null;
  let credentials = login;
  /** Whether the browser may have a cookie. False after the service has refused it, until the next login. */
  let hasCookie = session === 'cookie';
  let renewing: Promise<void> | null = null;

  const set = (next: Tokens | null): void => {
    tokens = next;
    onTokens?.(next);
  };
  const keep = ({ accessToken, refreshToken, expiresIn }: Login): void => {
    hasCookie = refreshToken === undefined;
    set({ accessToken, ...(refreshToken !== undefined && { refreshToken }), expiresAt: Date.now() + expiresIn * 1000 });
  };
  const end = (): void => {
    credentials = undefined;
    hasCookie = false;
    set(null);
  };

  const refresh = (refreshToken: string | undefined): Promise<unknown> =>
    refreshToken === undefined ? oneTabAtATime(() => issuer.refresh({})) : issuer.refresh({ refreshToken });

  async function requestTokens(): Promise<void> {
    if (tokens || hasCookie) {
      try {
        await refresh(tokens?.refreshToken);
        return;
      } catch (error) {
        if (!isProblem(error, 'invalid_refresh_token')) throw error;
        hasCookie = false;
        set(null);
      }
    }
    if (credentials) await issuer.login(credentials);
  }

  /** Concurrent calls share one renewal, because using a refresh token twice would end the session. */
  function renewOnce(): Promise<void> {
    renewing ??= requestTokens().finally(() => {
      renewing = null;
    });
    return renewing;
  }

  async function bearer(): Promise<string | undefined> {
    if (typeof token === 'function') return token();
    if (token !== undefined) return token;
    if (renewing || (tokens ? (tokens.expiresAt ?? Infinity) < Date.now() + renewBeforeExpiryMs : credentials || hasCookie))
      await renewOnce();
    return tokens?.accessToken;
  }

  async function renew(refused: string): Promise<string | undefined> {
    if (typeof token === 'function') return token(refused);
    if (token !== undefined) return undefined;
    if (tokens?.accessToken === refused) await renewOnce();
    return tokens?.accessToken;
  }

  return { bearer, renew, keep, end };
}
