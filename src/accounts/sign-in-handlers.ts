import type { Handlers } from '../http/capability.ts';
import { Problem } from '../kernel/problem.ts';
import type { Browser } from '../kernel/route.ts';
import { requestPasswordReset } from './account-mails.ts';
import { changePassword } from './change-password.ts';
import { acceptInvitation, resetPassword } from './choose-password.ts';
import { normalizeEmail } from './invitation.ts';
import { login } from './login.ts';
import { listSessions, revokeOtherSessions, revokeOwnSession } from './login-sessions.ts';
import { logout } from './logout.ts';
import { refresh } from './refresh.ts';
import { getMe } from './session.ts';
import { SessionCookie } from './session-cookie.ts';
import type { signInContract } from './sign-in-contract.ts';
import { updateMe } from './update-me.ts';

/** A page whose cookie has expired gets 401 and asks for the password. A program without a token has a mistake. */
function noToken({ ownPage }: Browser): Problem {
  if (ownPage) return new Problem('invalid_refresh_token', 'There is no cookie with a refresh token. Log in again.');
  const message = 'is missing';
  return new Problem('invalid_input', `refreshToken ${message}`, {
    errors: [{ in: 'body', field: 'refreshToken', code: 'required', message }],
  });
}

export function signInHandlers(siteUrl: string): Handlers<typeof signInContract> {
  const cookie = new SessionCookie(siteUrl);
  return {
    login: async (tx, act, { body, browser }) => {
      cookie.requireOwnPage(body.session, browser);
      return cookie.respond(await login(tx, act, siteUrl, body), body.session);
    },
    refresh: async (tx, act, { body, browser }) => {
      if (body.refreshToken !== undefined) return refresh(tx, act, body.refreshToken);
      if (browser.cookie === null) return noToken(browser);
      const outcome = await refresh(tx, act, browser.cookie);
      return outcome instanceof Problem ? cookie.refuse(outcome) : cookie.respond(outcome, 'cookie');
    },
    logout: async (tx, act, { browser }) => {
      const { cookieEnded } = await logout(tx, act, browser.cookie);
      return cookieEnded ? cookie.deleted() : undefined;
    },
    getMe: (tx, act) => getMe(tx, act.actor),
    updateMe: (tx, act, { body }) => updateMe(tx, act, body),
    listSessions: (tx, act, { query }) => listSessions(tx, act, query),
    revokeSession: (tx, act, { params }) => revokeOwnSession(tx, act, params.id),
    revokeOtherSessions: (tx, act) => revokeOtherSessions(tx, act),
    acceptInvitation: async (tx, act, { body: { session, ...invited }, browser }) => {
      cookie.requireOwnPage(session, browser);
      return cookie.respond(await acceptInvitation(tx, act, invited), session);
    },
    requestPasswordReset: (tx, act, { body }) => requestPasswordReset(tx, act, normalizeEmail(body.email)),
    resetPassword: (tx, act, { body }) => resetPassword(tx, act, body),
    changePassword: (tx, act, { body }) => changePassword(tx, act, body),
  };
}
