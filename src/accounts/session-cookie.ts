import { WithHeaders } from '../http/capability.ts';
import { setCookie } from '../http/site-cookies.ts';
import { Problem } from '../kernel/problem.ts';
import type { Browser } from '../kernel/route.ts';
import { type IssuedLogin, sessionSeconds } from './session.ts';
import { type Login, sessionCookie } from './sign-in-contract.ts';

type SessionKind = 'cookie' | undefined;

/**
 * Sends the refresh token in the body or in the cookie. `Strict` is possible because the console refreshes by script, so the browser sends
 * the cookie even if a link from another site opened the console.
 */
export class SessionCookie {
  readonly #siteUrl: string;

  constructor(siteUrl: string) {
    this.#siteUrl = siteUrl;
  }

  /**
   * A page of another site must not log in a browser here. Otherwise it could put a visitor into an account of the attacker (login CSRF).
   */
  requireOwnPage(session: SessionKind, { ownPage }: Browser): void {
    if (session === 'cookie' && !ownPage) throw new Problem('forbidden', 'Only pages of this site may log in with a cookie.');
  }

  respond(outcome: IssuedLogin | Problem, session: SessionKind): Login | WithHeaders<Login> | Problem {
    if (outcome instanceof Problem || session === undefined) return outcome;
    const { refreshToken, ...login } = outcome;
    return new WithHeaders(login, this.#header(refreshToken));
  }

  /** The browser deletes a cookie that no longer works. */
  refuse(problem: Problem): Problem {
    return new Problem(problem.code, problem.message, { ...problem.details, headers: this.#header(null) });
  }

  deleted(): WithHeaders<void> {
    return new WithHeaders(undefined, this.#header(null));
  }

  #header(value: string | null): { 'set-cookie': string } {
    return { 'set-cookie': setCookie(sessionCookie, { value, maxAgeSeconds: sessionSeconds, sameSite: 'Strict' }, this.#siteUrl) };
  }
}
