import type { Act } from '../kernel/act.ts';

/** The e-mail and name that the inviter typed. */
export interface Invitation {
  email: string;
  name: string;
}

/** E-mail addresses are compared ignoring case. */
export const normalizeEmail = (email: string): string => email.trim().toLowerCase();

export function toInvitation({ email, name }: { email: string; name?: string }): Invitation {
  const normalized = normalizeEmail(email);
  return { email: normalized, name: name ?? normalized.slice(0, Math.min(normalized.indexOf('@'), 200)) };
}

/**
 * Until invited people log in, they are shown with the e-mail and name that the inviter typed. Otherwise an inviter could learn the names
 * of the owners of e-mail addresses. Commands and platform admins can read all accounts, so the account is shown immediately and null is
 * returned.
 */
export function invitationBy({ actor }: Act, person: { email: string; name?: string }): Invitation | null {
  return actor.kind === 'user' && !actor.admin ? toInvitation(person) : null;
}

/** Exported for the crew of an event, which has the same invitation columns as the members of a producer. */
export { hasShownId, invitationColumns, joinShownPerson, shownPerson } from './invitation.sql.ts';
