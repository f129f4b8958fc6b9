import type { AnswerOf } from './call.ts';
import { isProblem } from './problem.ts';

/** What a log-in gives. A refresh token works once: keep the newest. */
export interface Tokens {
  accessToken: string;
  refreshToken: string;
  /** When the access token runs out, in milliseconds since 1970; it is renewed a little before. */
  expiresAt?: number;
}

/** How the client signs in: with a token, with one that you fetch, with e-mail and password, or with tokens of an earlier log-in. */
export interface SessionOptions {
  /** Or a function that fetches one; it is handed the token that was refused, if one was. */
  token?: string | ((refused?: string) => string | undefined | Promise<string | undefined>);
  login?: { email: string; password: string };
  tokens?: Tokens;
  /** Told of new tokens, and of null when they are of no use any more. */
  onTokens?: (tokens: Tokens | null) => void;
}

type Login = AnswerOf<'login'>;

/** How tokens are got; what comes is kept on its way. */
export interface Issuer {
  login(input: { email: string; password: string }): Promise<unknown>;
  refresh(input: { refreshToken: string }): Promise<unknown>;
}

export interface Session {
  bearer(): Promise<string | undefined>;
  /** Another token than the one that was refused, if there is one to be had. */
  renew(refused: string): Promise<string | undefined>;
  keep(login: Login): void;
  /** For good: after a log-out nobody is logged in again behind their back. */
  end(): void;
}

const earlyMs = 10_000;

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

  async function getNew(): Promise<void> {
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

  /** However many calls ask, there is one renewal at a time: using a refresh token twice would end the session. */
  function renewOnce(): Promise<void> {
    renewing ??= getNew().finally(() => {
      renewing = null;
    });
    return renewing;
  }

  async function bearer(): Promise<string | undefined> {
    if (typeof token === 'function') return token();
    if (token !== undefined) return token;
    if (renewing || (tokens ? (tokens.expiresAt ?? Infinity) < Date.now() + earlyMs : credentials)) await renewOnce();
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
