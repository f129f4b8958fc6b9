import type { Handlers } from '../http/capability.ts';
import type { factorContract } from './factor-contract.ts';
import {
  confirmTotpFactor,
  createPasskeyFactor,
  createTotpFactor,
  listFactors,
  removeFactor,
  renewRecoveryCodes,
  startPasskeyFactor,
} from './factors.ts';
import { completeLogin } from './second-factor.ts';
import { SessionCookie } from './session-cookie.ts';

export function factorHandlers(siteUrl: string): Handlers<typeof factorContract> {
  const cookie = new SessionCookie(siteUrl);
  return {
    completeLogin: async (tx, act, { body: { session, ...step }, browser }) => {
      cookie.requireOwnPage(session, browser);
      return cookie.respond(await completeLogin(tx, act, siteUrl, step), session);
    },
    listFactors: (tx, act) => listFactors(tx, act),
    createTotpFactor: (tx, act, { body }) => createTotpFactor(tx, act, siteUrl, body),
    confirmTotpFactor: (tx, act, { body }) => confirmTotpFactor(tx, act, body.code),
    startPasskeyFactor: (tx, act, { body }) => startPasskeyFactor(tx, act, siteUrl, body),
    createPasskeyFactor: (tx, act, { body }) => createPasskeyFactor(tx, act, siteUrl, body),
    removeFactor: (tx, act, { params, body }) => removeFactor(tx, act, params.id, body),
    renewRecoveryCodes: (tx, act, { body }) => renewRecoveryCodes(tx, act, body),
  };
}
