import type { AnswerOf } from './call.ts';
import { isProblem } from './problem.ts';

/** The tokens of a login. A refresh token can be used only once, so always store the newest one. */
export interface Tokens {
  accessToken: string;
  refreshToken: string;
  /** The expiry of the access token, in milliseconds since 1970. The client renews the token shortly before. */
  expiresAt?: number;
}

/**
 * How the client authenticates: with a token, with a function that returns one, with e-mail and password, or with the tokens of an earlier
 * login.
 */
export interface SessionOptions {
  /** A token, or a function that returns one. After the service has refused a token, the function gets the refused token as its argument. */
  token?: string | ((refused?: string) => string | undefined | Promise<string | undefined>);
  login?: { email: string; password: string };
  tokens?: Tokens;
  /** Called with new tokens, and with null when the tokens are no longer valid. */
  onTokens?: (tokens: Tokens | null) => void;
}

type Login = AnswerOf<'login'>;

/** Sends the two requests that return tokens. The client passes the new tokens to `keep`. */
export interface Issuer {
  login(input: { email: string; password: string }): Promise<unknown>;
  refresh(input: { refreshToken: string }): Promise<unknown>;
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

export function createSession({ token, login, tokens: first, onTokens }: SessionOptions, issuer: Issuer): Session {
  let tokens: Tokens | null = first ?? null;
  let credentials = login;
  let renewing: Promise<void> | null = null;

  const set = (next: Tokens | null): void => {
    tokens = next;
    onTokens?.(next);
  };
  const keep = ({ accessToken, refreshToken, expiresIn }: Login): void =>
    set({ accessToken, refreshToken, expiresAt: Date.now() + expiresIn * 1000 });
  const end = (): void => {
    credentials = undefined;
    set(null);
  };

  async function requestTokens(): Promise<void> {
    if (tokens) {
      try {
        await issuer.refresh({ refreshToken: tokens.refreshToken });
        return;
      } catch (error) {
        if (!isProblem(error, 'invalid_refresh_token')) throw error;
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
    if (renewing || (tokens ? (tokens.expiresAt ?? Infinity) < Date.now() + renewBeforeExpiryMs : credentials)) await renewOnce();
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
